/// An effect for good: who said it, and where in what that module has said.
///
/// Printed as `Auth#3.42`, the 42nd in the third life of Auth; parsed in that form, and in that of ``number``.
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
        guard parts.count == 2, let module = ModuleID(rawValue: String(parts[0])), let position = LifeNumber.parse(parts[1]) else {
            throw WireError(.invalidName, "\(NameGrammar.quoted(text)) is no effect id; write it like Auth#3.42, by life and position")
        }
        self.init(module: module, position: position)
    }

    public init?(_ description: String) { try? self.init(parsing: description) }

    public init(from decoder: any Decoder) throws {
        try self.init(parsing: decoder.singleValueContainer().decode(String.self))
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(number)
    }

    public var description: String { "\(module)#\(LifeNumber.text(of: position))" }

    /// As it travels, in JSON too: `Auth#3298534883370`, its position as one number.
    public var number: String { "\(module)#\(position)" }

    /// The run of the module that said it; 0 where the broker gave out none.
    public var life: UInt64 { Epoch(start: position).rawValue }

    /// Its place among what the module said in that life.
    public var positionInLife: UInt64 { position - Epoch(start: position).start }

    public static func < (left: EffectID, right: EffectID) -> Bool {
        (left.module, left.position) < (right.module, right.position)
    }
}
