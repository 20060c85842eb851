/// The identity of a module in the cluster, such as `Auth`.
///
/// At most ``byteLimit`` bytes of ASCII letters, digits, `_`, `-` and dots between them.
public struct ModuleID: RawRepresentable, Sendable, Hashable, Comparable, Codable, CodingKeyRepresentable,
    ExpressibleByStringLiteral, CustomStringConvertible
{
    public static let byteLimit = 64

    /// Never freed; see ``Name``.
    @usableFromInline unowned(unsafe) let name: Name

    public var rawValue: String { name.text }

    /// - Throws: `invalidName`; `limitExceeded` for a new name when the process has reached its limit of names.
    public init(_ text: String) throws(WireError) {
        if let known = Name.known(text), !known.isReserved, text.utf8.count <= Self.byteLimit {
            name = known
            return
        }
        if let fault = NameGrammar.fault(in: text, limit: Self.byteLimit) {
            throw WireError(.invalidName, "the module id \(NameGrammar.quoted(text)) \(fault)")
        }
        guard let made = Name.admitted(text) else { throw .tooManyNames(text) }
        name = made
    }

    public init?(rawValue: String) { try? self.init(rawValue) }

    init(_ name: Name) { self.name = name }

    /// For literals in source; a literal that breaks the grammar is a programming fault.
    public init(stringLiteral value: String) {
        precondition(NameGrammar.fault(in: value, limit: Self.byteLimit) == nil, "'\(value)' is no module id")
        name = Name.of(value)
    }

    public var description: String { rawValue }

    public static func < (left: ModuleID, right: ModuleID) -> Bool { left.rawValue < right.rawValue }
}
