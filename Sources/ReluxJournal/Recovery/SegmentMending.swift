import ReluxWire

/// Makes a segment out of what is left of a damaged one. Pure.
struct SegmentMending {
    private let header: SegmentHeader
    private var bytes: [UInt8]
    private var chain: UInt32
    private(set) var numbers: JournalNumbers
    private(set) var lost: [HoleRecord.Lost] = []
    private(set) var lostPositions: ClosedRange<UInt64>?
    private(set) var keptBatches = 0

    /// - Parameters:
    ///   - scan: of the damaged file; at least its CHECKPOINT is whole.
    ///   - next: what follows: its header, and how far the numbers had been given out there. nil for the last segment.
    init(_ file: [UInt8], _ scan: SegmentScan, next: (header: SegmentHeader, start: JournalNumbers)?) {
        header = scan.header
        bytes = Array(file.prefix(scan.end))
        chain = scan.chain
        numbers = scan.numbers
        let start = numbers
        var ahead = numbers
        for stored in scan.survivors { note(stored.batch, &ahead) }
        if let next { note(next.start, &ahead) }
        append(.hole(Self.hole(lost, lostPositions, scan.restByteCount, next?.header)), number: start.batch + 1)
        numbers = start
        numbers.batch += 1
        for stored in scan.survivors { append(stored.batch) }
        keptBatches = scan.survivors.count
    }

    /// In place of a segment of which nothing is left. `next` is nil when that one has to be replaced too.
    init(in place: SegmentHeader, from start: JournalNumbers, base: UInt64, next: (header: SegmentHeader, start: JournalNumbers)?) {
        header = place
        bytes = place.encoded()
        chain = place.chain
        numbers = start
        var ahead = start
        if let next { note(next.start, &ahead) }
        let checkpoint = CheckpointRecord(
            incarnation: place.incarnation, epoch: place.epoch, bootID: place.bootID, floor: start.floor, position: start.position,
            heads: start.heads, base: base, state: [])
        append([.checkpoint(checkpoint), .hole(Self.hole(lost, lostPositions, 0, next?.header))], [], number: start.batch + 1)
        numbers.batch += 1
    }

    /// The whole file.
    var file: [UInt8] { bytes }
    var end: Int { bytes.count }
    var endChain: UInt32 { chain }

    private static func hole(
        _ lost: [HoleRecord.Lost], _ positions: ClosedRange<UInt64>?, _ byteCount: Int, _ next: SegmentHeader?
    ) -> HoleRecord {
        HoleRecord(
            reason: .damage, jumps: false, lostPositions: positions, lost: lost, byteCount: UInt64(byteCount),
            resume: next.map { .init(length: $0.previousLength, chain: $0.chain) })
    }

    /// Notes the numbers before the batch that are missing.
    private mutating func note(_ batch: JournalBatch, _ ahead: inout JournalNumbers) {
        let positions = batch.runs.compactMap { $0.positions?.lowerBound }.min()
        if let positions, positions > ahead.position + 1 { missing(positions: (ahead.position + 1)...(positions - 1)) }
        for run in batch.runs {
            if let first = run.sequences?.lowerBound { missing(run.topic, from: ahead.head(of: run.topic), to: first) }
            ahead.take(run)
        }
    }

    private mutating func note(_ next: JournalNumbers, _ ahead: inout JournalNumbers) {
        for (topic, head) in next.heads.sorted(by: { $0.key < $1.key }) { missing(topic, from: ahead.head(of: topic), to: head &+ 1) }
        if next.position > ahead.position { missing(positions: (ahead.position + 1)...next.position) }
        ahead = next
    }

    private mutating func missing(_ topic: Topic, from head: UInt64, to next: UInt64) {
        guard next > head + 1 else { return }
        lost.append(.init(topic: topic, sequences: (head + 1)...(next - 1)))
    }

    private mutating func missing(positions: ClosedRange<UInt64>) {
        lostPositions = min(lostPositions?.lowerBound ?? .max, positions.lowerBound)...positions.upperBound
    }

    private mutating func append(_ note: JournalNote, number: UInt64) { append([note], [], number: number) }

    private mutating func append(_ batch: JournalBatch) {
        append(batch.notes, batch.runs, number: batch.number)
        numbers.take(batch)
    }

    private mutating func append(_ notes: [JournalNote], _ runs: [JournalRun], number: UInt64) {
        let (batch, next) = BatchCoding.encode(
            notes: notes, runs: runs, number: number, previous: chain, synced: 0, salt: header.salt, offset: bytes.count)
        bytes += batch
        chain = next
    }
}
