/// A publisher has taken a settlement into its books. In its own journal only, on `~acked`.
///
///     +----------------+---------------------+----------------+----------------------+
///     | recipient      | settlement sequence | topic          | effects              |
///     | varint, UTF-8  | varint              | varint, UTF-8  | runs, see EffectRuns |
///     +----------------+---------------------+----------------+----------------------+
///     | status         | result                                                      |
///     | 1 byte         | varint, CBOR or nothing                                     |
///     +----------------+-------------------------------------------------------------+
public struct AckedRecord: RecordFields {
    public static let kind: UInt8 = 10
    /// The topic of the journal's runs.
    public static let topic: Topic = "~acked"

    public var recipient: ModuleID
    /// Where in the recipient's settlement stream; 0 when the recipient did not say it: it was removed.
    public var settlementSequence: UInt64
    /// The stream of the effects.
    public var topic: Topic
    /// The effects that the recipient had not settled before.
    public var effects: EffectRuns
    public var status: SettledRecord.Status
    /// As in SETTLED; kept for a handler that is run again and asks again.
    public var result: ArraySlice<UInt8>

    public init(
        recipient: ModuleID, settlementSequence: UInt64, topic: Topic, effects: EffectRuns, status: SettledRecord.Status,
        result: ArraySlice<UInt8> = []
    ) {
        self.recipient = recipient
        self.settlementSequence = settlementSequence
        self.topic = topic
        self.effects = effects
        self.status = status
        self.result = result
    }

    var name: StaticString { "ACKED" }

    func write(to writer: inout RecordWriter) {
        writer.module(recipient)
        writer.varint(settlementSequence)
        writer.topic(topic)
        effects.write(to: &writer)
        writer.byte(status.rawValue)
        writer.blob(result)
    }

    init(from reader: inout RecordReader) throws(WireError) {
        recipient = try reader.module()
        settlementSequence = try reader.varint()
        topic = try reader.topic()
        effects = try EffectRuns(from: &reader)
        status = try reader.status()
        result = try reader.blob()
    }
}
