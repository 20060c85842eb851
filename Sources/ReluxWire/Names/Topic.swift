/// The subject of a stream: the path of an effect type without its Swift module, such as `Auth.Business.Effect`.
///
/// At most ``byteLimit`` bytes of ASCII letters, digits, `_`, `-` in segments between dots. A leading `~` marks the reserved streams of
/// the platform; no effect type can have one.
public struct Topic: RawRepresentable, Sendable, Hashable, Comparable, Codable, CodingKeyRepresentable,
    ExpressibleByStringLiteral, CustomStringConvertible
{
    public static let byteLimit = 200

    /// Never freed; see ``Name``.
    @usableFromInline unowned(unsafe) let name: Name

    public var rawValue: String { name.text }

    /// - Throws: `invalidName`; `limitExceeded` for a new name when the process has reached its limit of names.
    public init(_ text: String) throws(WireError) {
        if let known = Name.known(text) {
            name = known
            return
        }
        if let fault = Self.fault(in: text) {
            throw WireError(.invalidName, "the topic \(NameGrammar.quoted(text)) \(fault)")
        }
        guard let made = Name.admitted(text) else { throw .tooManyNames(text) }
        name = made
    }

    public init?(rawValue: String) { try? self.init(rawValue) }

    /// For literals in source; a literal that breaks the grammar is a programming fault.
    public init(stringLiteral value: String) {
        precondition(Self.fault(in: value) == nil, "'\(value)' is no topic")
        self.init(unchecked: value)
    }

    /// Makes a topic of checked characters.
    private init(unchecked value: String) { name = Name.of(value) }

    private init(_ name: Name) { self.name = name }

    /// The reserved stream on which a recipient settles the effects of `publisher`.
    public static func settlements(of publisher: ModuleID) -> Topic {
        // 9 + 64 bytes of checked characters: always a topic.
        Topic(publisher.name.settlements { Name.of(settlementPrefix + publisher.rawValue) })
    }

    /// A stream of the platform about a module; for ever the same. With a name that is short and keeps the grammar.
    package static func reserved(_ name: StaticString, of module: ModuleID) -> Topic { Topic(unchecked: "~\(name).\(module.rawValue)") }

    private static let settlementPrefix = "~settled."

    /// The publisher whose effects this stream settles.
    public var settledPublisher: ModuleID? {
        guard isReserved else { return nil }
        if let known = name.settled { return ModuleID(known) }
        guard rawValue.hasPrefix(Self.settlementPrefix), let publisher = ModuleID(rawValue: String(rawValue.dropFirst(Self.settlementPrefix.count)))
        else { return nil }
        name.settles(publisher.name)
        return publisher
    }

    /// The bytes that ``byteLimit`` leaves for the path of a snapshot's type: its stream has a prefix.
    public static let snapshotByteLimit = byteLimit - snapshotPrefix.utf8.count

    private static let snapshotPrefix = "~snapshot."

    /// The reserved stream of a snapshot type; nil for what ``fault(as:)`` refuses.
    public static func snapshots(of type: Topic) -> Topic? {
        type.fault(as: .snapshot) == nil ? Topic(unchecked: snapshotPrefix + type.rawValue) : nil
    }

    /// The snapshot type that this stream carries; nil for any other stream.
    public var snapshotType: Topic? {
        guard rawValue.hasPrefix(Self.snapshotPrefix) else { return nil }
        return Topic(rawValue: String(rawValue.dropFirst(Self.snapshotPrefix.count)))
    }

    /// Whether this is a stream of the platform rather than of an effect type.
    public var isReserved: Bool { name.isReserved }

    public var description: String { rawValue }

    public static func < (left: Topic, right: Topic) -> Bool { left.rawValue < right.rawValue }

    private static func fault(in text: String) -> String? {
        if text.utf8.first == UInt8(ascii: "~") { return NameGrammar.fault(in: text.utf8.dropFirst(), limit: byteLimit - 1) }
        return NameGrammar.fault(in: text, limit: byteLimit)
    }
}
