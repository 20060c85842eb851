/// The identity of a module in the cluster, such as `Auth`.
///
/// At most ``byteLimit`` bytes of ASCII letters, digits, `_`, `-` and dots between them.
public struct ModuleID: RawRepresentable, Sendable, Hashable, Comparable, Codable, CodingKeyRepresentable,
    ExpressibleByStringLiteral, CustomStringConvertible
{
    public static let byteLimit = 64

    public let rawValue: String

    /// - Throws: `invalidName`.
    public init(_ text: String) throws(WireError) {
        if let fault = NameGrammar.fault(in: text, limit: Self.byteLimit) {
            throw WireError(.invalidName, "the module id \(NameGrammar.quoted(text)) \(fault)")
        }
        rawValue = text
    }

    public init?(rawValue: String) { try? self.init(rawValue) }

    /// For literals in source; a literal that breaks the grammar is a programming fault.
    public init(stringLiteral value: String) {
        precondition(NameGrammar.fault(in: value, limit: Self.byteLimit) == nil, "'\(value)' is no module id")
        rawValue = value
    }

    public var description: String { rawValue }

    public static func < (left: ModuleID, right: ModuleID) -> Bool { left.rawValue < right.rawValue }
}
