/// A subscriber asks a publisher for what it lacks of a stream.
///
///     +----------------+----------------+------------------------------------------------+
///     | requester      | topic          | ranges: count varint, then per range           |
///     | varint, UTF-8  | varint, UTF-8  | (low varint, high - low varint)                |
///     +----------------+----------------+------------------------------------------------+
public struct FetchRecord: RecordFields {
    public static let kind: UInt8 = 6

    public var requester: ModuleID
    public var topic: Topic
    /// Sequences, both ends included.
    public var ranges: [ClosedRange<UInt64>]

    public init(requester: ModuleID, topic: Topic, ranges: [ClosedRange<UInt64>]) {
        self.requester = requester
        self.topic = topic
        self.ranges = ranges
    }

    var name: StaticString { "FETCH" }

    func write(to writer: inout RecordWriter) {
        writer.module(requester)
        writer.topic(topic)
        writer.list(ranges) { $0.range($1) }
    }

    init(from reader: inout RecordReader) throws(WireError) {
        requester = try reader.module()
        topic = try reader.topic()
        ranges = try reader.list { reader throws(WireError) in try reader.range() }
    }
}

/// A publisher answers a FETCH: this part of the stream cannot be served any more.
///
///     +----------------+----------------+----------------+
///     | topic          | low            | high - low     |
///     | varint, UTF-8  | varint         | varint         |
///     +----------------+----------------+----------------+
public struct GoneRecord: RecordFields {
    public static let kind: UInt8 = 7
    /// In a journal: numbers of its own streams that others have seen and the journal does not have, because an older copy of it came back.
    public static let topic: Topic = "~gone"

    public var topic: Topic
    /// Sequences, both ends included.
    public var range: ClosedRange<UInt64>

    public init(topic: Topic, range: ClosedRange<UInt64>) {
        self.topic = topic
        self.range = range
    }

    var name: StaticString { "GONE" }

    func write(to writer: inout RecordWriter) {
        writer.topic(topic)
        writer.range(range)
    }

    init(from reader: inout RecordReader) throws(WireError) {
        topic = try reader.topic()
        range = try reader.range()
    }
}
