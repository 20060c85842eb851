/// Head of a replay: the records that follow in this frame belong to this topic, not to the frame's own.
///
///     +----------------+
///     | topic          |
///     | varint, UTF-8  |
///     +----------------+
public struct StreamRecord: RecordFields {
    public static let kind: UInt8 = 9

    public var topic: Topic

    public init(topic: Topic) { self.topic = topic }

    var name: StaticString { "STREAM" }

    func write(to writer: inout RecordWriter) { writer.topic(topic) }

    init(from reader: inout RecordReader) throws(WireError) { topic = try reader.topic() }
}
