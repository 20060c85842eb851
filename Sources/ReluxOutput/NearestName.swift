/// The name that was probably meant.
package enum NearestName {
    /// The candidate with the fewest edits, if it is near enough to be meant; of equals the first.
    ///
    /// - Parameter limit: edits at most; without one, a third of what is not the same anyway: ``allowance(_:_:)``.
    package static func of(_ name: String, among candidates: some Sequence<String>, within limit: Int? = nil) -> String? {
        var best: (name: String, distance: Int)?
        for candidate in candidates {
            let (left, right) = (name.lowercased(), candidate.lowercased())
            let distance = distance(left, right)
            if distance <= limit ?? allowance(left, right), distance < best?.distance ?? .max { best = (candidate, distance) }
        }
        return best?.name
    }

    /// How many edits still make a slip of the finger: a third of the longer name, rounded to the nearest.
    ///
    /// Segments that both begin or end with do not count, else a long way to a name would bring it near to every other at the same place:
    /// `supervisor.x` is not near to `supervisor.period`.
    static func allowance(_ left: String, _ right: String) -> Int {
        var (left, right) = (left.split(separator: ".")[...], right.split(separator: ".")[...])
        while left.count > 1, right.count > 1, left.first == right.first { (left, right) = (left.dropFirst(), right.dropFirst()) }
        while left.count > 1, right.count > 1, left.last == right.last { (left, right) = (left.dropLast(), right.dropLast()) }
        func length(_ segments: ArraySlice<Substring>) -> Int { segments.reduce(segments.count - 1) { $0 + $1.unicodeScalars.count } }
        return (max(length(left), length(right)) + 1) / 3
    }

    /// The dotted names that an abbreviation may stand for: its segments stand in them in that order, in whatever case, the last one, or the nearest
    /// to it, at the end. `auth.login` stands for `Auth.Business.Effect.login`.
    package static func spelledOut(_ name: String, among candidates: some Sequence<String>) -> [String] {
        let wanted = name.split(separator: ".").map { $0.lowercased() }
        guard let last = wanted.last else { return [] }
        let meant = candidates.compactMap { candidate -> (name: String, last: String)? in
            let segments = candidate.split(separator: ".").map { $0.lowercased() }
            guard segments.count > wanted.count, let end = segments.last else { return nil }
            var rest = segments.dropLast()[...]
            for word in wanted.dropLast() {
                guard let place = rest.firstIndex(of: word) else { return nil }
                rest = rest[(place + 1)...]
            }
            return (candidate, end)
        }
        let end = meant.contains { $0.last == last } ? last : of(last, among: Set(meant.map(\.last)).sorted())
        return meant.filter { $0.last == end }.map(\.name)
    }

    /// `did you mean 'login'?`, or of several `did you mean 'a', 'b' or 'c'?`; nil of none, and of more than four.
    package static func question(_ meant: [String]) -> String? {
        guard let last = meant.last, meant.count <= 4 else { return nil }
        let others = meant.dropLast().map { "'\($0)'" }.joined(separator: ", ")
        return "did you mean \(others.isEmpty ? "" : others + " or ")'\(last)'?"
    }

    /// `did you mean 'login'?`; nil when nothing is near.
    package static func meant(_ name: String, among candidates: some Sequence<String>) -> String? {
        // A name that is there is meant as it is written.
        of(name, among: candidates.filter { $0 != name }).flatMap { question([$0]) }
    }

    /// The same, or else the known names, or nothing.
    package static func hint(_ name: String, among candidates: [String]) -> String {
        meant(name, among: candidates) ?? list(candidates)
    }

    /// `known are: login, logout`, or nothing.
    package static func list(_ candidates: [String]) -> String {
        if candidates.isEmpty { return "" }
        let shown = candidates.prefix(12).joined(separator: ", ")
        return "known are: \(shown)" + (candidates.count > 12 ? ", …" : "")
    }

    /// Levenshtein's distance, with a swap of two neighbours as one edit.
    static func distance(_ left: String, _ right: String) -> Int {
        let (left, right) = (Array(left.unicodeScalars), Array(right.unicodeScalars))
        var beforeLast = [Int](repeating: 0, count: right.count + 1)
        var last = Array(0...right.count)
        for row in left.indices {
            var current = [row + 1]
            for column in right.indices {
                let isSame = left[row] == right[column]
                var cost = min(current[column] + 1, last[column + 1] + 1, last[column] + (isSame ? 0 : 1))
                if row > 0, column > 0, left[row] == right[column - 1], left[row - 1] == right[column] {
                    cost = min(cost, beforeLast[column - 1] + 1)
                }
                current.append(cost)
            }
            (beforeLast, last) = (last, current)
        }
        return last[right.count]
    }
}
