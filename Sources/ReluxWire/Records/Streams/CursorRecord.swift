/// A part of a stream that needs no settlement: it is behind the start, was said to be gone, or has been taken. In a journal
/// only, on `~cursor`.
///
///     +----------------+----------------+----------------+----------------+
///     | module         | topic          | low            | high - low     |
///     | varint, UTF-8  | varint, UTF-8  | varint         | varint         |
///     +----------------+----------------+----------------+----------------+
///
/// For a stream that the journal's module hears, `module` is the publisher. For its own settlements, `~settled.<module>`, it is the
/// publisher that has taken them.
public struct CursorRecord: RecordFields {
    public static let kind: UInt8 = 11
    public static let topic: Topic = "~cursor"

    public var module: ModuleID
    public var topic: Topic
    /// Sequences, both ends included.
    public var range: ClosedRange<UInt64>

    public init(module: ModuleID, topic: Topic, range: ClosedRange<UInt64>) {
        self.module = module
        self.topic = topic
        self.range = range
    }

    var name: StaticString { "CURSOR" }

    func write(to writer: inout RecordWriter) {
        writer.module(module)
        writer.topic(topic)
        writer.range(range)
    }

    init(from reader: inout RecordReader) throws(WireError) {
        module = try reader.module()
        topic = try reader.topic()
        range = try reader.range()
    }
}
