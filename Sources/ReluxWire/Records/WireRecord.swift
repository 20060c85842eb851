/// One record: the same bytes on the wire and on disk.
///
///      0        1 ... 10 bytes   1 byte                             up to the length
///     +------------------------+--------+-------------------------+----------------------------------+
///     | length  varint         | kind   | fields of the kind      | extensions                       |
///     +------------------------+--------+-------------------------+----------------------------------+
///                              |<------------------------- length ---------------------------------->|
///
/// An extension is (number varint, length varint, bytes). Readers skip those that they do not know, and records of unknown kinds.
public enum WireRecord: Sendable, Hashable {
    case effect(EffectRecord)
    case settled(SettledRecord)
    case member(MemberRecord)
    case snapshot(SnapshotRecord)
    case head(HeadRecord)
    case fetch(FetchRecord)
    case gone(GoneRecord)
    case ready(ReadyRecord)
    case stream(StreamRecord)
    case acked(AckedRecord)
    case cursor(CursorRecord)
    case state(StateRecord)
    case kept(KeptRecord)
    case attempt(AttemptRecord)
    case dead(DeadRecord)
    case request(RequestRecord)

    /// The most that a record may have, its length field not counted.
    public static let byteLimit = 1 << 20
    /// The most that a payload, a result or a snapshot may have, so that its record with all other fields stays below it.
    public static let payloadByteLimit = byteLimit - 16_384

    /// The bytes of this record, length field included.
    /// - Throws: `limitExceeded` over ``byteLimit`` or for an effect with too many ancestors.
    public func encoded() throws(WireError) -> [UInt8] {
        // The kind most often written: spared the box, and the growth of the buffer in steps.
        if case .effect(let record) = self { return try Self.encoded(record, reserving: record.payload.count + 256) }
        return try Self.encoded(fields, reserving: 128)
    }

    private static func encoded(_ fields: some RecordFields, reserving capacity: Int) throws(WireError) -> [UInt8] {
        var writer = RecordWriter()
        try fields.check()
        writer.bytes.reserveCapacity(capacity)
        writer.byte(type(of: fields).kind)
        fields.write(to: &writer)
        guard writer.bytes.count <= byteLimit else {
            throw WireError(
                .limitExceeded, "a \(fields.name) record of \(writer.bytes.count) bytes is over the limit of \(byteLimit); send less")
        }
        var framed = RecordWriter()
        framed.bytes.reserveCapacity(writer.bytes.count + 3)
        framed.blob(writer.bytes[...])
        return framed.bytes
    }

    private var fields: any RecordFields {
        switch self {
        case .effect(let record): return record
        case .settled(let record): return record
        case .member(let record): return record
        case .snapshot(let record): return record
        case .head(let record): return record
        case .fetch(let record): return record
        case .gone(let record): return record
        case .ready(let record): return record
        case .stream(let record): return record
        case .acked(let record): return record
        case .cursor(let record): return record
        case .state(let record): return record
        case .kept(let record): return record
        case .attempt(let record): return record
        case .dead(let record): return record
        case .request(let record): return record
        }
    }

    /// The record that starts where `reader` stands; nil when its kind is unknown, and is skipped.
    /// - Throws: `truncated`, `malformed`, `limitExceeded`, `invalidName`.
    static func read(from reader: inout RecordReader, in source: [UInt8]) throws(WireError) -> WireRecord? {
        let body = try reader.blob()
        guard body.count <= byteLimit else {
            throw WireError(.limitExceeded, "a record of \(body.count) bytes is over the limit of \(byteLimit)")
        }
        var fields = RecordReader(source, body.startIndex..<body.endIndex)
        let kind = try fields.byte()
        let record: WireRecord
        switch kind {
        case EffectRecord.kind: record = .effect(try EffectRecord(from: &fields))
        case SettledRecord.kind: record = .settled(try SettledRecord(from: &fields))
        case MemberRecord.kind: record = .member(try MemberRecord(from: &fields))
        case SnapshotRecord.kind: record = .snapshot(try SnapshotRecord(from: &fields))
        case HeadRecord.kind: record = .head(try HeadRecord(from: &fields))
        case FetchRecord.kind: record = .fetch(try FetchRecord(from: &fields))
        case GoneRecord.kind: record = .gone(try GoneRecord(from: &fields))
        case ReadyRecord.kind: record = .ready(try ReadyRecord(from: &fields))
        case StreamRecord.kind: record = .stream(try StreamRecord(from: &fields))
        case AckedRecord.kind: record = .acked(try AckedRecord(from: &fields))
        case CursorRecord.kind: record = .cursor(try CursorRecord(from: &fields))
        case StateRecord.kind: record = .state(try StateRecord(from: &fields))
        case KeptRecord.kind: record = .kept(try KeptRecord(from: &fields))
        case AttemptRecord.kind: record = .attempt(try AttemptRecord(from: &fields))
        case DeadRecord.kind: record = .dead(try DeadRecord(from: &fields))
        case RequestRecord.kind: record = .request(try RequestRecord(from: &fields))
        default: return nil
        }
        try fields.skipExtensions()
        return record
    }

    /// The records that `bytes` hold, one behind the other, as a frame or a journal's run has them; those of unknown kinds are left out.
    /// - Throws: `truncated`, `malformed`, `limitExceeded`, `invalidName`.
    public static func decodeAll(_ bytes: ArraySlice<UInt8>) throws(WireError) -> [WireRecord] {
        let source = Array(bytes)
        var reader = RecordReader(source, 0..<source.count)
        var records: [WireRecord] = []
        while reader.remaining > 0 {
            if let record = try read(from: &reader, in: source) { records.append(record) }
        }
        return records
    }

    /// The record that `bytes` hold, all of them; nil when its kind is unknown.
    /// - Throws: `truncated`, `malformed`, `limitExceeded`, `invalidName`.
    public static func decode(_ bytes: [UInt8]) throws(WireError) -> WireRecord? {
        var reader = RecordReader(bytes, 0..<bytes.count)
        let record = try read(from: &reader, in: bytes)
        guard reader.remaining == 0 else {
            throw WireError(.malformed, "\(reader.remaining) bytes follow the record, which ends at byte \(reader.position)")
        }
        return record
    }
}

/// What each kind of record says about its bytes.
protocol RecordFields: Sendable, Hashable {
    static var kind: UInt8 { get }
    /// For messages.
    var name: StaticString { get }
    /// - Throws: `limitExceeded` for what readers would refuse.
    func check() throws(WireError)
    func write(to writer: inout RecordWriter)
    init(from reader: inout RecordReader) throws(WireError)
}

extension RecordFields {
    func check() throws(WireError) {}
}
