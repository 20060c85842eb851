/// The recipients of a stream from here on.
///
///     +----------------+----------------+----------------------------------------------+
///     | sequence       | version        | recipients: count varint, then per recipient |
///     | varint         | varint         | (module varint+UTF-8)                        |
///     +----------------+----------------+----------------------------------------------+
public struct MemberRecord: RecordFields {
    public static let kind: UInt8 = 3

    /// The stream head that it takes effect after.
    public var sequence: UInt64
    /// The membership's; only rises.
    public var version: UInt64
    public var recipients: [ModuleID]

    public init(sequence: UInt64, version: UInt64, recipients: [ModuleID]) {
        self.sequence = sequence
        self.version = version
        self.recipients = recipients
    }

    var name: StaticString { "MEMBER" }

    func write(to writer: inout RecordWriter) {
        writer.varint(sequence)
        writer.varint(version)
        writer.list(recipients) { $0.module($1) }
    }

    init(from reader: inout RecordReader) throws(WireError) {
        sequence = try reader.varint()
        version = try reader.varint()
        recipients = try reader.list { reader throws(WireError) in try reader.module() }
    }
}
