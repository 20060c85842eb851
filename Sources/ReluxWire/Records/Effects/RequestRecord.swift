/// An effect came in through the ingress under this request id: a repeated request gets its answer. In the journal of the
/// ingress only, on `~request`, in the batch of the effect.
///
///     +----------------+----------------+----------------+----------------+
///     | position       | topic          | sequence       | request id     |
///     | varint         | varint, UTF-8  | varint         | varint, UTF-8  |
///     +----------------+----------------+----------------+----------------+
///     | extension 1, empty: everyone is waited for                        |
///     +-------------------------------------------------------------------+
public struct RequestRecord: RecordFields {
    public static let kind: UInt8 = 16
    public static let topic: Topic = "~request"

    /// The effect's: its position, its stream and its sequence there.
    public var position: UInt64
    public var topic: Topic
    public var sequence: UInt64
    /// As the client made it.
    public var request: String

    /// Recipients that are known to be absent are waited for too.
    public var isForEveryone: Bool

    private static let everyoneExtension: UInt64 = 1

    public init(position: UInt64, topic: Topic, sequence: UInt64, request: String, isForEveryone: Bool = false) {
        self.position = position
        self.topic = topic
        self.sequence = sequence
        self.request = request
        self.isForEveryone = isForEveryone
    }

    var name: StaticString { "REQUEST" }

    func write(to writer: inout RecordWriter) {
        writer.varint(position)
        writer.topic(topic)
        writer.varint(sequence)
        writer.text(request)
        if isForEveryone {
            writer.varint(Self.everyoneExtension)
            writer.blob([])
        }
    }

    init(from reader: inout RecordReader) throws(WireError) {
        position = try reader.varint()
        topic = try reader.topic()
        sequence = try reader.varint()
        request = try reader.text()
        isForEveryone = try reader.takesExtension(Self.everyoneExtension)
    }
}
