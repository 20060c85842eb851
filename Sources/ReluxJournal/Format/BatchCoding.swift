import ReluxWire

/// The values that tie a batch to its segment.
struct BatchContext: Sendable, Hashable {
    var segment: UInt64
    var salt: UInt64
    var epoch: Epoch

    init(_ header: SegmentHeader) { (segment, salt, epoch) = (header.number, header.salt, header.epoch) }
}

/// A batch as it stands in the file.
struct StoredBatch: Sendable, Hashable {
    var batch: JournalBatch
    /// The checksum of the batch before.
    var previous: UInt32
    /// Its own checksum, which the next one names.
    var chain: UInt32
    /// The bytes of the segment that were on the disk, with all segments before it, when the batch was written; 0: not known.
    var synced: UInt64

    var end: Int { batch.place.offset + batch.byteCount }
}

/// Bytes of a batch.
///
///      0  magic "RLXB"   4 | length          4 | previous crc    4 | runs        4
///     16  batch number   8 | synced          8
///     32  runs: topic string, records varint, sequences range, positions range, blob
///         zeros up to a multiple of 8
///     -8  crc32c         4 | its complement  4
///
/// The length counts all of that. The checksum starts from the segment's salt and the batch's offset and covers all before itself.
enum BatchCoding {
    /// The result of reading at a place.
    enum Outcome: Sendable {
        case batch(StoredBatch)
        /// Nothing was written here yet: zeros, or the end of the file.
        case nothing
        /// The bytes that the batch needs in all; fewer were given.
        case short(Int)
        case bad(String)
    }

    static func encode(
        notes: [JournalNote] = [], runs: [JournalRun], number: UInt64, previous: UInt32, synced: UInt64, salt: UInt64, offset: Int
    ) -> (bytes: [UInt8], chain: UInt32) {
        var writer = ByteWriter()
        let chain = encode(notes: notes, runs: runs, number: number, previous: previous, synced: synced, salt: salt, offset: offset, into: &writer)
        return (writer.bytes, chain)
    }

    /// The same into an empty buffer, whose room may be that of the batch before.
    ///
    /// - Returns: the batch's checksum.
    static func encode(
        notes: [JournalNote], runs: [JournalRun], number: UInt64, previous: UInt32, synced: UInt64, salt: UInt64, offset: Int,
        into writer: inout ByteWriter
    ) -> UInt32 {
        writer.bytes.reserveCapacity(runs.reduce(256) { $0 + $1.records.count + $1.topic.rawValue.utf8.count + 48 })
        writer.bytes += JournalFormat.batchMagic
        writer.fixed(UInt32(0))
        writer.fixed(previous)
        writer.fixed(UInt32(runs.count + (notes.isEmpty ? 0 : 1)))
        writer.fixed(number)
        writer.fixed(synced)
        if !notes.isEmpty {
            let records = notes.flatMap { $0.encoded() }
            write(JournalRun(topic: JournalFormat.topic, recordCount: notes.count, sequences: nil, records: records[...]), to: &writer)
        }
        for run in runs { write(run, to: &writer) }
        writer.padding(to: JournalFormat.alignment)
        let length = UInt32(writer.bytes.count + JournalFormat.trailerByteCount)
        writer.bytes.withUnsafeMutableBytes { $0.storeBytes(of: length.bigEndian, toByteOffset: 4, as: UInt32.self) }
        let chain = CRC32C.checksum(writer.bytes[...], continuing: JournalFormat.seed(salt: salt, offset: offset))
        writer.fixed(chain)
        writer.fixed(~chain)
        return chain
    }

    /// The most bytes that the runs will take, header and trailer included.
    static func byteBound(_ runs: [JournalRun]) -> Int {
        runs.reduce(JournalFormat.batchHeaderByteCount + JournalFormat.trailerByteCount + JournalFormat.alignment) {
            $0 + $1.records.count + $1.topic.rawValue.utf8.count + 72
        }
    }

    /// Whether a batch may have `count` bytes.
    static func isLength(_ count: Int) -> Bool {
        let least = JournalFormat.batchHeaderByteCount + JournalFormat.trailerByteCount
        return count >= least && count <= JournalFormat.batchByteLimit + (1 << 20) && count % JournalFormat.alignment == 0
    }

    private static func write(_ run: JournalRun, to writer: inout ByteWriter) {
        writer.text(run.topic.rawValue)
        writer.varint(UInt64(run.recordCount))
        writer.range(run.sequences)
        writer.range(run.positions)
        writer.blob(run.records)
    }

    /// Reads the batch at `bytes.startIndex`, which is `offset` bytes into its segment.
    static func decode(_ bytes: ArraySlice<UInt8>, offset: Int, _ context: BatchContext) -> Outcome {
        let head = bytes.prefix(JournalFormat.batchHeaderByteCount)
        guard head.first ?? 0 != 0 || head.contains(where: { $0 != 0 }) else { return .nothing }
        guard head.count == JournalFormat.batchHeaderByteCount else { return .short(JournalFormat.batchHeaderByteCount) }
        guard head.starts(with: JournalFormat.batchMagic) else { return .bad("no batch begins here") }
        do {
            var reader = ByteReader(head.dropFirst(4))
            let length = Int(try reader.fixed(UInt32.self))
            guard isLength(length) else { return .bad("a batch of \(length) bytes is none") }
            guard bytes.count >= length else { return .short(length) }
            let previous: UInt32 = try reader.fixed()
            let runCount: UInt32 = try reader.fixed()
            let number: UInt64 = try reader.fixed()
            let synced: UInt64 = try reader.fixed()
            guard number <= JournalFormat.numberLimit else { return .bad("there is no batch \(number)") }
            let whole = bytes.prefix(length)
            var trailer = ByteReader(whole.suffix(JournalFormat.trailerByteCount))
            let (chain, complement) = (try trailer.fixed(UInt32.self), try trailer.fixed(UInt32.self))
            let covered = whole.dropLast(JournalFormat.trailerByteCount)
            let actual = CRC32C.checksum(covered, continuing: JournalFormat.seed(salt: context.salt, offset: offset))
            guard chain == actual, complement == ~actual else { return .bad("the checksum of the batch does not match") }
            var body = ByteReader(covered.dropFirst(JournalFormat.batchHeaderByteCount))
            var batch = JournalBatch(
                place: JournalPlace(segment: context.segment, offset: offset), number: number, epoch: context.epoch,
                byteCount: length, runs: [], notes: [])
            for _ in 0..<runCount { try readRun(from: &body, into: &batch) }
            return .batch(StoredBatch(batch: batch, previous: previous, chain: chain, synced: synced))
        } catch {
            return .bad(error.reason)
        }
    }

    private static func readRun(from reader: inout ByteReader, into batch: inout JournalBatch) throws(FieldError) {
        let name = try reader.text()
        guard let topic = Topic(rawValue: name) else { throw FieldError(reason: "'\(name)' is no topic") }
        let recordCount = Int(clamping: try reader.varint())
        let (sequences, positions) = (try reader.range(), try reader.range())
        let records = try reader.blob()
        guard topic == JournalFormat.topic else {
            batch.runs.append(
                JournalRun(topic: topic, recordCount: recordCount, sequences: sequences, positions: positions, records: records))
            return
        }
        var notes = ByteReader(records)
        while notes.remaining > 0 { if let note = try JournalNote.read(from: &notes) { batch.notes.append(note) } }
    }
}
