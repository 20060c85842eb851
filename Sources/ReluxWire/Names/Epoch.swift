/// One run of a module. The broker hands them out; they only rise.
public struct Epoch: RawRepresentable, Sendable, Hashable, Comparable, Codable, CustomStringConvertible {
    public let rawValue: UInt64

    public init(rawValue: UInt64) { self.rawValue = rawValue }
    public init(_ value: UInt64) { rawValue = value }

    public var description: String { "\(rawValue)" }

    /// The last that may be given. A journal takes numbers up to 2^62, and all of this life's are below that.
    package static let limit = Epoch((1 << (62 - positionBits)) - 1)

    /// Streams that begin in this life begin behind this, so that sequences and positions only ever rise.
    package var start: UInt64 { rawValue << Self.positionBits }

    /// The life whose streams begin behind that.
    package init(start: UInt64) { rawValue = start >> Self.positionBits }

    /// The bits of a position that count within one life.
    private static let positionBits: UInt64 = 40

    public static func < (left: Epoch, right: Epoch) -> Bool { left.rawValue < right.rawValue }
}

/// One contiguous sequence of records: the unit of order, of subscription and of repair.
public struct StreamID: Sendable, Hashable, Comparable, Codable, CustomStringConvertible {
    public let publisher: ModuleID
    public let topic: Topic

    public init(publisher: ModuleID, topic: Topic) {
        self.publisher = publisher
        self.topic = topic
    }

    public var description: String { "\(publisher)/\(topic)" }

    public static func < (left: StreamID, right: StreamID) -> Bool {
        (left.publisher, left.topic) < (right.publisher, right.topic)
    }
}
