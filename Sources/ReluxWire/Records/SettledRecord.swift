/// A recipient has finished with an effect. Published on `~settled.<publisher>` by the recipient.
///
///     +----------------+----------------+----------------+
///     | sequence       | position       | status         |
///     | varint         | varint         | 1 byte         |
///     +----------------+----------------+----------------+
///     | duration       | result                          |
///     | varint, us     | varint, CBOR or nothing         |
///     +----------------+---------------------------------+
public struct SettledRecord: RecordFields {
    public static let kind: UInt8 = 2

    public enum Status: UInt8, Sendable, Hashable, Codable, CaseIterable {
        case succeeded = 0
        /// The handler threw or returned a failure; it is not tried again.
        case failed = 1
        /// The recipient was removed or evicted before it had settled.
        case lost = 2
        /// The recipient would not take it: unauthorised, over a limit.
        case refused = 3
        /// It is kept as a dead letter: undecodable, or the recipient's process died with it too often.
        case deadLettered = 4
    }

    /// Where in the recipient's settlement stream.
    public var sequence: UInt64
    /// The effect's, of the publisher that the topic names.
    public var position: UInt64
    public var status: Status
    public var durationMicroseconds: UInt64
    /// What the handler answered as CBOR; empty when that is nothing.
    public var result: ArraySlice<UInt8>

    public init(
        sequence: UInt64, position: UInt64, status: Status = .succeeded, durationMicroseconds: UInt64 = 0,
        result: ArraySlice<UInt8> = []
    ) {
        self.sequence = sequence
        self.position = position
        self.status = status
        self.durationMicroseconds = durationMicroseconds
        self.result = result
    }

    var name: StaticString { "SETTLED" }

    func write(to writer: inout RecordWriter) {
        writer.varint(sequence)
        writer.varint(position)
        writer.byte(status.rawValue)
        writer.varint(durationMicroseconds)
        writer.blob(result)
    }

    init(from reader: inout RecordReader) throws(WireError) {
        sequence = try reader.varint()
        position = try reader.varint()
        let number = try reader.byte()
        guard let status = Status(rawValue: number) else {
            throw WireError(.malformed, "\(number) is no status of a settlement; 0 to 4 are known")
        }
        self.status = status
        durationMicroseconds = try reader.varint()
        result = try reader.blob()
    }
}
