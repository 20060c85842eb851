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
    // Each is one reference, and so cheap to keep in several places.
    case effect(EffectRecord)
    case settled(SettledRecord)
    indirect case member(MemberRecord)
    indirect case snapshot(SnapshotRecord)
    indirect case head(HeadRecord)
    indirect case fetch(FetchRecord)
    indirect case gone(GoneRecord)
    indirect case ready(ReadyRecord)
    indirect case stream(StreamRecord)
    indirect case acked(AckedRecord)
    indirect case cursor(CursorRecord)
    indirect case state(StateRecord)
    indirect case kept(KeptRecord)
    indirect case attempt(AttemptRecord)
    indirect case dead(DeadRecord)
    indirect case request(RequestRecord)
    indirect case refused(RefusedRecord)
    indirect case schedule(ScheduleRecord)

    /// The most that a record may have, its length field not counted.
    public static let byteLimit = 1 << 20
    /// The most that a payload, a result or a snapshot may have, so that its record with all other fields stays below it.
    public static let payloadByteLimit = byteLimit - 16_384

    /// The bytes of this record, length field included.
    /// - Throws: `limitExceeded` over ``byteLimit`` or for an effect with too many ancestors.
    public func encoded() throws(WireError) -> [UInt8] {
        var bytes: [UInt8] = []
        try encode(into: &bytes)
        return bytes
    }

    /// Appends the bytes of this record, which are those of ``encoded()`` but for an effect that shares something with those before it.
    ///
    /// - Parameter chain: the effects before it in the same frame or journal run; an empty one in front of the first record.
    /// - Throws: as ``encoded()``; `bytes` and `chain` are as before then.
    public func encode(into bytes: inout [UInt8], behind chain: inout EffectChain) throws(WireError) {
        guard case .effect(let record) = self else { return try encode(into: &bytes) }
        guard let number = chain.number(for: record) else {
            try encode(into: &bytes)
            return chain.begin(with: record)
        }
        var writer = RecordWriter()
        swap(&writer.bytes, &bytes)
        defer { swap(&writer.bytes, &bytes) }
        let caseNumber = chain.number(ofCase: record.caseName)
        try Self.append(record, EffectRecord.briefKind, to: &writer) { $0.write(to: &$1, context: number, case: caseNumber, behind: chain) }
        chain.step(to: record, saying: caseNumber == chain.cases.count)
    }

    private func encode(into bytes: inout [UInt8]) throws(WireError) {
        var writer = RecordWriter()
        swap(&writer.bytes, &bytes)
        defer { swap(&writer.bytes, &bytes) }
        switch self {
        case .effect(let record): try Self.append(record, to: &writer)
        case .settled(let record): try Self.append(record, to: &writer)
        case .member(let record): try Self.append(record, to: &writer)
        case .snapshot(let record): try Self.append(record, to: &writer)
        case .head(let record): try Self.append(record, to: &writer)
        case .fetch(let record): try Self.append(record, to: &writer)
        case .gone(let record): try Self.append(record, to: &writer)
        case .ready(let record): try Self.append(record, to: &writer)
        case .stream(let record): try Self.append(record, to: &writer)
        case .acked(let record): try Self.append(record, to: &writer)
        case .cursor(let record): try Self.append(record, to: &writer)
        case .state(let record): try Self.append(record, to: &writer)
        case .kept(let record): try Self.append(record, to: &writer)
        case .attempt(let record): try Self.append(record, to: &writer)
        case .dead(let record): try Self.append(record, to: &writer)
        case .request(let record): try Self.append(record, to: &writer)
        case .refused(let record): try Self.append(record, to: &writer)
        case .schedule(let record): try Self.append(record, to: &writer)
        }
    }

    private static func append<Fields: RecordFields>(_ fields: Fields, to writer: inout RecordWriter) throws(WireError) {
        try append(fields, Fields.kind, to: &writer) { $0.write(to: &$1) }
    }

    @inline(__always)
    private static func append<Fields: RecordFields>(
        _ fields: Fields, _ kind: UInt8, to writer: inout RecordWriter, _ write: (Fields, inout RecordWriter) -> Void
    ) throws(WireError) {
        try fields.check()
        let start = writer.bytes.count
        if start == 0 { writer.bytes.reserveCapacity(fields.byteCountHint) }
        // Mostly the length takes two bytes: they are left free, and what follows is moved when it takes others.
        writer.bytes.append(0)
        writer.bytes.append(0)
        writer.byte(kind)
        write(fields, &writer)
        let count = writer.bytes.count - start - 2
        guard count <= byteLimit else {
            writer.bytes.removeLast(count + 2)
            throw WireError(
                .limitExceeded, "a \(fields.name) record of \(count) bytes is over the limit of \(byteLimit); send less")
        }
        writer.bytes[start] = UInt8(truncatingIfNeeded: count) | 0x80
        writer.bytes[start + 1] = UInt8(truncatingIfNeeded: count >> 7)
        if count < 0x80 {
            writer.bytes[start] = UInt8(truncatingIfNeeded: count)
            writer.bytes.remove(at: start + 1)
        } else if count >= 0x4000 {
            // Three bytes reach further than the limit.
            writer.bytes[start + 1] |= 0x80
            writer.bytes.insert(UInt8(truncatingIfNeeded: count >> 14), at: start + 2)
        }
    }

    /// The record that starts where `reader` stands; nil when its kind is unknown, and is skipped.
    /// - Throws: `truncated`, `malformed`, `limitExceeded`, `invalidName`.
    static func read(from reader: inout RecordReader) throws(WireError) -> WireRecord? {
        let outer = try reader.enterRecord()
        defer { reader.leave(outer) }
        let kind = try reader.byte()
        let record: WireRecord
        switch kind {
        case EffectRecord.kind:
            let effect = try EffectRecord(from: &reader)
            reader.chain.begin(with: effect)
            record = .effect(effect)
        case EffectRecord.briefKind:
            record = .effect(try EffectRecord(steps: &reader))
        case SettledRecord.kind: record = .settled(try SettledRecord(from: &reader))
        case MemberRecord.kind: record = .member(try MemberRecord(from: &reader))
        case SnapshotRecord.kind: record = .snapshot(try SnapshotRecord(from: &reader))
        case HeadRecord.kind: record = .head(try HeadRecord(from: &reader))
        case FetchRecord.kind: record = .fetch(try FetchRecord(from: &reader))
        case GoneRecord.kind: record = .gone(try GoneRecord(from: &reader))
        case ReadyRecord.kind: record = .ready(try ReadyRecord(from: &reader))
        case StreamRecord.kind: record = .stream(try StreamRecord(from: &reader))
        case AckedRecord.kind: record = .acked(try AckedRecord(from: &reader))
        case CursorRecord.kind: record = .cursor(try CursorRecord(from: &reader))
        case StateRecord.kind: record = .state(try StateRecord(from: &reader))
        case KeptRecord.kind: record = .kept(try KeptRecord(from: &reader))
        case AttemptRecord.kind: record = .attempt(try AttemptRecord(from: &reader))
        case DeadRecord.kind: record = .dead(try DeadRecord(from: &reader))
        case RequestRecord.kind: record = .request(try RequestRecord(from: &reader))
        case RefusedRecord.kind: record = .refused(try RefusedRecord(from: &reader))
        case ScheduleRecord.kind: record = .schedule(try ScheduleRecord(from: &reader))
        default: return nil
        }
        try reader.skipExtensions()
        return record
    }

    /// The records that `bytes` hold, one behind the other, as a frame or a journal's run has them; those of unknown kinds are left out.
    /// - Throws: `truncated`, `malformed`, `limitExceeded`, `invalidName`.
    public static func decodeAll(_ bytes: ArraySlice<UInt8>) throws(WireError) -> [WireRecord] {
        let source = Array(bytes)
        var reader = RecordReader(source, 0..<source.count)
        var records: [WireRecord] = []
        while reader.remaining > 0 {
            if let record = try read(from: &reader) { records.append(record) }
        }
        return records
    }

    /// The record that `bytes` hold, all of them; nil when its kind is unknown.
    /// - Throws: `truncated`, `malformed`, `limitExceeded`, `invalidName`.
    public static func decode(_ bytes: [UInt8]) throws(WireError) -> WireRecord? {
        var reader = RecordReader(bytes, 0..<bytes.count)
        let record = try read(from: &reader)
        guard reader.remaining == 0 else {
            throw WireError(.malformed, "\(reader.remaining) bytes follow the record, which ends at byte \(reader.position)")
        }
        return record
    }
}

/// The fields of one kind of record, and how they are read and written.
protocol RecordFields: Sendable, Hashable {
    static var kind: UInt8 { get }
    /// For messages.
    var name: StaticString { get }
    var byteCountHint: Int { get }
    /// - Throws: `limitExceeded` for what readers would refuse.
    func check() throws(WireError)
    func write(to writer: inout RecordWriter)
    init(from reader: inout RecordReader) throws(WireError)
}

extension RecordFields {
    func check() throws(WireError) {}
    /// An estimate of the record's bytes, so that the buffer need not grow in steps.
    var byteCountHint: Int { 128 }
}
