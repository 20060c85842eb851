extension Topic {
    /// The kind of a type that wants a topic.
    public enum Use: String, Sendable {
        case effect, snapshot
    }

    /// Stands for a type whose path is too long for a topic, and is refused as such wherever it is declared: it has the
    /// path's length and beginning.
    package init(standingForPath path: String) {
        let mark = "\(Self.unnamedPrefix)\(path.utf8.count)."
        var beginning = path.prefix(Self.byteLimit - mark.utf8.count)
        while beginning.last == "." { beginning = beginning.dropLast() }
        self = Topic(rawValue: mark + beginning) ?? "~unnamed"
    }

    private static let unnamedPrefix = "~unnamed."

    /// Why no type can have this topic, with the name, its length, the limit and the remedy; nil if one can.
    public func fault(as use: Use) -> String? {
        let limit = use == .effect ? Self.byteLimit : Self.snapshotByteLimit
        if let (count, beginning) = longPath { return Self.tooLong(use, "\(beginning)…", count, limit) }
        if isReserved {
            return "the topic \(rawValue) of an \(use == .effect ? "effect" : "observed or provided snapshot") begins with ~,"
                + " which marks the platform's own streams; choose another `wireTopic`"
        }
        let count = rawValue.utf8.count
        return count > limit ? Self.tooLong(use, rawValue, count, limit) : nil
    }

    private static func tooLong(_ use: Use, _ name: String, _ count: Int, _ limit: Int) -> String {
        "the \(use.rawValue) type \(name) has a path of \(count) bytes, the limit is \(limit); shorten the names around it, or give"
            + " the type a name for the wire: static var wireTopic: Topic { \"Short.Name\" }"
    }

    private var longPath: (count: Int, beginning: Substring)? {
        guard rawValue.hasPrefix(Self.unnamedPrefix) else { return nil }
        let parts = rawValue.dropFirst(Self.unnamedPrefix.count).split(separator: ".", maxSplits: 1)
        guard parts.count == 2, let count = Int(parts[0]) else { return nil }
        return (count, parts[1])
    }
}
