/// A recipient has finished with effects of one stream. Published on `~settled.<publisher>` by the recipient.
///
///     +----------------+----------------+---------------------------------+
///     | sequence       | topic          | effects                         |
///     | varint         | varint, UTF-8  | runs, see EffectRuns            |
///     +----------------+----------------+---------------------------------+
///     | status         | duration       | diverged: count varint, then per |
///     | 1 byte         | varint, us     | effect (position varint)        |
///     +----------------+----------------+---------------------------------+
///     | result                                                            |
///     | varint, CBOR or nothing                                           |
///     +-------------------------------------------------------------------+
///     | extension 1, empty: it has to survive the loss of power           |
///     +-------------------------------------------------------------------+
///
/// Several effects share a record when they have ended alike, without a result and without a divergence.
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
    /// The stream of the effects.
    public let topic: Topic
    /// Positions of the publisher, and sequences of the topic's stream: what the recipient's cursor is about.
    public let effects: EffectRuns
    public let status: Status
    /// The time that all the effects took together.
    public let durationMicroseconds: UInt64
    /// Effects that an earlier run of the handler had said and this one did not say again: positions of the recipient's own effects.
    public let diverged: [UInt64]
    /// The handler's answer as CBOR; empty when there is none.
    public let result: ArraySlice<UInt8>
    /// It was on the disk before anybody heard of it, or will be.
    public let isMachine: Bool

    private static let machineExtension: UInt64 = 1

    /// - Parameter sequence: 0 outside every settlement stream: for transient effects, and for those that ended without their recipient's word.
    public init(
        sequence: UInt64, topic: Topic, effects: EffectRuns, status: Status = .succeeded, durationMicroseconds: UInt64 = 0,
        diverged: [UInt64] = [], result: ArraySlice<UInt8> = [], isMachine: Bool = false
    ) {
        self.sequence = sequence
        self.topic = topic
        self.effects = effects
        self.status = status
        self.durationMicroseconds = durationMicroseconds
        self.diverged = diverged
        self.result = result
        self.isMachine = isMachine
    }

    var name: StaticString { "SETTLED" }

    func check() throws(WireError) {
        guard effects.count == 1 || diverged.isEmpty && result.isEmpty else {
            throw WireError(.malformed, "a SETTLED record has one result for \(effects.count) effects; each needs a record of its own")
        }
    }

    func write(to writer: inout RecordWriter) {
        writer.varint(sequence)
        writer.topic(topic)
        effects.write(to: &writer)
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
        topic = try reader.topic()
        effects = try EffectRuns(from: &reader)
        status = try reader.status()
        durationMicroseconds = try reader.varint()
        diverged = try reader.list { reader throws(WireError) in try reader.varint() }
        result = try reader.blob()
        isMachine = try reader.takesExtension(Self.machineExtension)
        try check()
    }

    public static func == (left: SettledRecord, right: SettledRecord) -> Bool {
        if left === right { return true }
        return left.sequence == right.sequence && left.topic == right.topic && left.effects == right.effects && left.status == right.status
            && left.durationMicroseconds == right.durationMicroseconds && left.diverged == right.diverged && left.result == right.result
            && left.isMachine == right.isMachine
    }

    public func hash(into hasher: inout Hasher) {
        hasher.combine(sequence)
        hasher.combine(effects)
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
