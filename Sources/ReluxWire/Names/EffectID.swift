/// An effect for good: who said it, and where in what that module has said. Printed and parsed as `Auth#1042`.
public struct EffectID: Sendable, Hashable, Comparable, Codable, LosslessStringConvertible {
    public let module: ModuleID
    /// Rises by at least one with each effect of the module, whatever its topic.
    public let position: UInt64

    public init(module: ModuleID, position: UInt64) {
        self.module = module
        self.position = position
    }

    /// - Throws: `invalidName`.
    public init(parsing text: String) throws(WireError) {
        let parts = text.split(separator: "#", maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.count == 2, let module = ModuleID(rawValue: String(parts[0])), let position = UInt64(parts[1]),
            "\(position)" == parts[1]
        else {
            throw WireError(.invalidName, "\(NameGrammar.quoted(text)) is no effect id; write it like Auth#1042")
        }
        self.init(module: module, position: position)
    }

    public init?(_ description: String) { try? self.init(parsing: description) }

    public init(from decoder: any Decoder) throws {
        try self.init(parsing: decoder.singleValueContainer().decode(String.self))
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(description)
    }

    public var description: String { "\(module)#\(position)" }

    public static func < (left: EffectID, right: EffectID) -> Bool {
        (left.module, left.position) < (right.module, right.position)
    }
}
