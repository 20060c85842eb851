/// A recipient has finished with an effect. Published on `~settled.<publisher>` by the recipient.
///
///     +----------------+----------------+----------------+-----------------+
///     | sequence       | position       | topic          | effect sequence |
///     | varint         | varint         | varint, UTF-8  | varint          |
///     +----------------+----------------+----------------+-----------------+
///     | status         | duration       | diverged: count varint, then per |
///     | 1 byte         | varint, us     | effect (position varint)         |
///     +----------------+----------------+----------------------------------+
///     | result                                                             |
///     | varint, CBOR or nothing                                            |
///     +--------------------------------------------------------------------+
///     | extension 1, empty: it has to survive the loss of power            |
///     +--------------------------------------------------------------------+
///
/// One reference, as ``EffectRecord`` and for the same reason.
public final class SettledRecord: RecordFields {
    public static let kind: UInt8 = 2

    public enum Status: UInt8, Sendable, Hashable, Codable, CaseIterable {
        case succeeded = 0
        /// The handler threw or returned a failure; it is not tried again.
        case failed = 1
        /// The recipient was removed or evicted before it had settled.
        case lost = 2
        /// The recipient would not take it: unauthorised, over a limit.
        case refused = 3
        /// It was given up: undecodable, or its handler has killed the recipient's process too often.
        case deadLettered = 4
    }

    /// Where in the recipient's settlement stream.
    public let sequence: UInt64
    /// The effect's, of the publisher that the topic names.
    public let position: UInt64
    /// The stream of the effect, and its sequence there: what the recipient's cursor is about.
    public let topic: Topic
    public let effectSequence: UInt64
    public let status: Status
    public let durationMicroseconds: UInt64
    /// What an earlier run of the handler had said and this one did not say again: positions of the recipient's own effects.
    public let diverged: [UInt64]
    /// What the handler answered as CBOR; empty when that is nothing.
    public let result: ArraySlice<UInt8>
    /// It was on the disk before anybody heard of it, or will be.
    public let isMachine: Bool

    private static let machineExtension: UInt64 = 1

    public init(
        sequence: UInt64, position: UInt64, topic: Topic, effectSequence: UInt64, status: Status = .succeeded,
        durationMicroseconds: UInt64 = 0, diverged: [UInt64] = [], result: ArraySlice<UInt8> = [], isMachine: Bool = false
    ) {
        self.sequence = sequence
        self.position = position
        self.topic = topic
        self.effectSequence = effectSequence
        self.status = status
        self.durationMicroseconds = durationMicroseconds
        self.diverged = diverged
        self.result = result
        self.isMachine = isMachine
    }

    var name: StaticString { "SETTLED" }

    func write(to writer: inout RecordWriter) {
        writer.varint(sequence)
        writer.varint(position)
        writer.topic(topic)
        writer.varint(effectSequence)
        writer.byte(status.rawValue)
        writer.varint(durationMicroseconds)
        writer.list(diverged) { $0.varint($1) }
        writer.blob(result)
        if isMachine {
            writer.varint(Self.machineExtension)
            writer.blob([])
        }
    }

    init(from reader: inout RecordReader) throws(WireError) {
        sequence = try reader.varint()
        position = try reader.varint()
        topic = try reader.topic()
        effectSequence = try reader.varint()
        status = try reader.status()
        durationMicroseconds = try reader.varint()
        diverged = try reader.list { reader throws(WireError) in try reader.varint() }
        result = try reader.blob()
        isMachine = try reader.takesExtension(Self.machineExtension)
    }

    public static func == (left: SettledRecord, right: SettledRecord) -> Bool {
        if left === right { return true }
        return left.sequence == right.sequence && left.position == right.position && left.topic == right.topic
            && left.effectSequence == right.effectSequence && left.status == right.status
            && left.durationMicroseconds == right.durationMicroseconds && left.diverged == right.diverged && left.result == right.result
            && left.isMachine == right.isMachine
    }

    public func hash(into hasher: inout Hasher) {
        hasher.combine(sequence)
        hasher.combine(position)
        hasher.combine(result)
    }
}

extension RecordReader {
    mutating func status() throws(WireError) -> SettledRecord.Status {
        let number = try byte()
        guard let status = SettledRecord.Status(rawValue: number) else {
            throw WireError(.malformed, "\(number) is no status of a settlement; 0 to 4 are known")
        }
        return status
    }
}
