import Foundation

/// The words of a page and the text that is printed, compared without what differs each time:
///
/// - places: the page's `~/work` is the folder in which its commands run, `~/cluster` that of the cluster;
/// - times: `212ms`, `75 ms`, `12.3s`, `0.031 seconds`, `14:02:11.120`;
/// - numbers of this life: `pid 4711`, `epoch 7`, `13 hosts`, an effect's `Weather#1.12`, a packed version's `1.0.0-5d0c9b6e`, an id of 32
///   hexadecimal digits, the line in `Flow.swift:52` (not in a compiler's `Flow.swift:52:7`);
/// - blanks, by which columns are aligned;
/// - the order of the recipients below an effect that was sent: they settle it when they have.
///
/// A line `…` stands for any lines, also none, and `…` in a line for anything.
package struct Transcript: Sendable {
    /// By what the page calls them.
    package let places: [(name: String, path: String)]

    package init(places: [(name: String, path: String)]) { self.places = places }

    /// A line without what differs.
    package func plain(_ line: String) -> String {
        var text = line
        for place in places { text = text.replacing(place.path, with: place.name) }
        text = text.replacing(/\d\d:\d\d:\d\d\.\d{3}Z?/, with: "TIME")
        text = text.replacing(/\b\d+(\.\d+)?(ms| ms|s| seconds)\b/, with: "TIME")
        text = text.replacing(/\b(pid|epoch) \d+/) { "\($0.output.1) N" }
        text = text.replacing(/\b\d+ hosts/, with: "N hosts")
        text = text.replacing(/\b([A-Z]\w+)#\d+(\.\d+)?/) { "\($0.output.1)#N" }
        text = text.replacing(/(\d+\.\d+\.\d+)-[0-9a-f]{8}\b/) { "\($0.output.1)-HASH" }
        text = text.replacing(/\b[0-9a-f]{32}\b/, with: "ID")
        text = text.replacing(/\.swift:\d+( |$)/) { ".swift:N\($0.output.1)" }
        return text.split(separator: " ").joined(separator: " ")
    }

    /// - Returns: nil when that was printed which the page says; else what is wrong.
    package func difference(said: [String], printed: [String]) -> String? {
        let (wanted, found) = (ordered(said), ordered(printed))
        guard !Self.matches(wanted[...], found[...]) else { return nil }
        return "the page says:\n" + said.map { "    \($0)\n" }.joined() + "printed was:\n"
            + printed.map { "    \(places.reduce($0) { $0.replacing($1.path, with: $1.name) })\n" }.joined()
    }

    /// Lines without what differs, recipients by name.
    private func ordered(_ lines: [String]) -> [String] {
        var (done, recipients): ([String], [String]) = ([], [])
        for line in lines {
            if line.contains(/^  [A-Z]\w+  (succeeded|failed)( |$)/) {
                recipients.append(plain(line))
            } else {
                done += recipients.sorted() + [plain(line)]
                recipients = []
            }
        }
        return done + recipients.sorted()
    }

    private static func matches(_ said: ArraySlice<String>, _ printed: ArraySlice<String>) -> Bool {
        guard let first = said.first else { return printed.isEmpty }
        if first == "…" {
            return (printed.startIndex...printed.endIndex).contains { matches(said.dropFirst(), printed[$0...]) }
        }
        guard let line = printed.first else { return false }
        return isLike(first, line) && matches(said.dropFirst(), printed.dropFirst())
    }

    /// The lines of a printed text, the end of the last one not counted as one.
    package static func lines(_ text: String) -> [String] {
        var lines = text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
        if lines.last?.isEmpty == true { lines.removeLast() }
        return lines
    }

    /// `…` stands for any text, also none.
    package static func isLike(_ said: String, _ line: String) -> Bool {
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
