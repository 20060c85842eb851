import Foundation

/// What a page says and what is printed, compared without what differs each time:
///
/// - places: the page's `~/work` is the folder in which its commands run, `~/cluster` that of the cluster;
/// - times: `212ms`, `75 ms`, `12.3s`, `0.031 seconds`, `14:02:11.120`;
/// - numbers of this life: `pid 4711`, `epoch 7`, `13 hosts`, an effect's `Weather#12`, a packed version's `1.0.0-5d0c9b6e`;
/// - blanks, by which columns are aligned.
///
/// A line `…` stands for any lines, also none, and `…` in a line for anything.
struct Transcript {
    /// By what the page calls them.
    let places: [(name: String, path: String)]

    /// A line without what differs.
    func plain(_ line: String) -> String {
        var text = line
        for place in places { text = text.replacing(place.path, with: place.name) }
        text = text.replacing(/\d\d:\d\d:\d\d\.\d{3}/, with: "TIME")
        text = text.replacing(/\b\d+(\.\d+)?(ms| ms|s| seconds)\b/, with: "TIME")
        text = text.replacing(/\b(pid|epoch) \d+/) { "\($0.output.1) N" }
        text = text.replacing(/\b\d+ hosts/, with: "N hosts")
        text = text.replacing(/\b([A-Z]\w+)#\d+/) { "\($0.output.1)#N" }
        text = text.replacing(/(\d+\.\d+\.\d+)-[0-9a-f]{8}\b/) { "\($0.output.1)-HASH" }
        return text.split(separator: " ").joined(separator: " ")
    }

    /// - Returns: nil when that was printed which the page says; else what is wrong.
    func difference(said: [String], printed: [String]) -> String? {
        let (wanted, found) = (said.map(plain), printed.map(plain))
        guard !Self.matches(wanted[...], found[...]) else { return nil }
        return "the page says:\n" + said.map { "    \($0)\n" }.joined() + "printed was:\n"
            + printed.map { "    \(places.reduce($0) { $0.replacing($1.path, with: $1.name) })\n" }.joined()
    }

    private static func matches(_ said: ArraySlice<String>, _ printed: ArraySlice<String>) -> Bool {
        guard let first = said.first else { return printed.isEmpty }
        if first == "…" {
            return (printed.startIndex...printed.endIndex).contains { matches(said.dropFirst(), printed[$0...]) }
        }
        guard let line = printed.first else { return false }
        return isLike(first, line) && matches(said.dropFirst(), printed.dropFirst())
    }

    /// `…` stands for any text, also none.
    static func isLike(_ said: String, _ line: String) -> Bool {
        var (parts, rest) = (said.split(separator: "…", omittingEmptySubsequences: false)[...], line[...])
        guard let head = parts.popFirst(), rest.hasPrefix(head) else { return false }
        rest = rest.dropFirst(head.count)
        guard let tail = parts.popLast() else { return rest.isEmpty }
        for part in parts where !part.isEmpty {
            guard let place = rest.firstRange(of: part) else { return false }
            rest = rest[place.upperBound...]
        }
        return rest.hasSuffix(tail)
    }
}
