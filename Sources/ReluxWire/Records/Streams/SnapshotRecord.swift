/// The latest value of a published state; it replaces the one before.
///
///     +----------------+----------------+----------------+
///     | version        | flags          | payload        |
///     | varint         | varint         | varint, CBOR   |
///     +----------------+----------------+----------------+
public struct SnapshotRecord: RecordFields {
    public static let kind: UInt8 = 4

    /// Rises with each value that differs from the one before, also from one life of the owner to the next.
    public var version: UInt64
    public var flags: SnapshotFlags
    public var payload: ArraySlice<UInt8>

    public init(version: UInt64, flags: SnapshotFlags = [], payload: ArraySlice<UInt8>) {
        self.version = version
        self.flags = flags
        self.payload = payload
    }

    var name: StaticString { "SNAPSHOT" }

    func write(to writer: inout RecordWriter) {
        writer.varint(version)
        writer.varint(flags.rawValue)
        writer.blob(payload)
    }

    init(from reader: inout RecordReader) throws(WireError) {
        version = try reader.varint()
        flags = SnapshotFlags(rawValue: try reader.varint())
        payload = try reader.blob()
    }
}

/// Properties of a snapshot. Bits that a reader does not know are kept.
public struct SnapshotFlags: OptionSet, Sendable, Hashable {
    public let rawValue: UInt64

    public init(rawValue: UInt64) { self.rawValue = rawValue }

    /// The owner is gone; this was its last value.
    public static let stale = SnapshotFlags(rawValue: 1 << 0)
}
