/// A publisher has taken a settlement into its books. In its own journal only, on `~acked`.
///
///     +----------------+---------------------+----------------+-----------------+
///     | recipient      | settlement sequence | position       | topic           |
///     | varint, UTF-8  | varint              | varint         | varint, UTF-8   |
///     +----------------+---------------------+----------------+-----------------+
///     | sequence       | status              | result                           |
///     | varint         | 1 byte              | varint, CBOR or nothing          |
///     +----------------+---------------------+----------------------------------+
public struct AckedRecord: RecordFields {
    public static let kind: UInt8 = 10
    /// The topic of the journal's runs.
    public static let topic: Topic = "~acked"

    public var recipient: ModuleID
    /// Where in the recipient's settlement stream; 0 when the recipient did not say it: it was removed.
    public var settlementSequence: UInt64
    /// The publisher's effect: position, stream and sequence there.
    public var position: UInt64
    public var topic: Topic
    public var sequence: UInt64
    public var status: SettledRecord.Status
    /// As in SETTLED; kept for a handler that is run again and asks again.
    public var result: ArraySlice<UInt8>

    public init(
        recipient: ModuleID, settlementSequence: UInt64, position: UInt64, topic: Topic, sequence: UInt64,
        status: SettledRecord.Status, result: ArraySlice<UInt8> = []
    ) {
        self.recipient = recipient
        self.settlementSequence = settlementSequence
        self.position = position
        self.topic = topic
        self.sequence = sequence
        self.status = status
        self.result = result
    }

    var name: StaticString { "ACKED" }

    func write(to writer: inout RecordWriter) {
        writer.module(recipient)
        writer.varint(settlementSequence)
        writer.varint(position)
        writer.topic(topic)
        writer.varint(sequence)
        writer.byte(status.rawValue)
        writer.blob(result)
    }

    init(from reader: inout RecordReader) throws(WireError) {
        recipient = try reader.module()
        settlementSequence = try reader.varint()
        position = try reader.varint()
        topic = try reader.topic()
        sequence = try reader.varint()
        status = try reader.status()
        result = try reader.blob()
    }
}
