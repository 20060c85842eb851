package import ReluxWire

/// The result of opening a journal: what was found and what was done.
package struct JournalRecovery: Sendable, Hashable {
    /// Random; another one means that the journal was deleted and began anew.
    package var incarnation: UInt64
    /// Nothing was there.
    package var isNew: Bool
    /// It was handed over in order.
    package var wasSealed: Bool
    /// The last epoch that wrote; 0 for a new one.
    package var lastEpoch: Epoch
    /// Where the last life's writing ends.
    package var end: JournalEnd
    /// Bytes of a torn tail that were cut; nothing in them was ever accepted, unless ``hole`` says so.
    package var cutBytes: Int
    /// Whole segments behind a loss of power that were set aside in `quarantine`.
    package var setAside: [String]
    /// The numbers that were declared lost now.
    package var hole: HoleRecord?
    /// The state that the caller gave last; empty when it never has.
    package var state: [UInt8]
    /// Where to replay from to reach the present: behind that state, or the oldest segment's start. nil for a new journal.
    package var replayFrom: JournalPlace?
}

/// The journal as the segments on the disk show it, before anything is changed.
struct FoundJournal {
    /// The last segment that counts; 0 when there is none.
    var last: UInt64 = 0
    var header: SegmentHeader?
    /// Where it ends, and what the next batch chains to.
    var end = 0
    var chain: UInt32 = 0
    var numbers = JournalNumbers()
    var seal: SealRecord?
    var checkpoint: CheckpointRecord?
    /// Bytes to cut behind ``end``.
    var torn = 0
    /// Segments behind a loss of power, to be set aside.
    var lost: [UInt64] = []
    /// The oldest segment that may not be on the disk yet; ``last`` + 1 when all are.
    var firstUnsynced: UInt64 = 1
    var isSameBoot = true
    /// The oldest segment.
    var first: UInt64 = 1
}

/// Reads what recovery needs: the last segment, and after a loss of power those that were not known to be on the disk. Changes nothing.
struct RecoveryReader {
    let folder: JournalFolder

    /// - Parameter writer: what the lock file says of the last writer.
    /// - Throws: `damaged`, `otherFormat`, `foreign`, `denied`, `failed`.
    func find(last writer: JournalLock.Content?) throws(JournalError) -> FoundJournal {
        let all = try folder.segmentNumbers() ?? []
        var headers: [SegmentHeader] = []
        var lost: [UInt64] = []
        for number in all {
            let bytes = try folder.bytes(of: number, limit: JournalFormat.headerByteCount)
            // A name without content, or none: made just before the power went. While the machine runs, names are given in order, to whole segments;
            // and the oldest is always on the disk.
            let isEmpty = !bytes.contains { $0 != 0 }
            let isMissing = headers.last.map { $0.number + 1 != number } ?? false
            if isEmpty || isMissing || !lost.isEmpty, let last = headers.last, last.bootID != folder.environment.bootID,
                writer?.bootID != folder.environment.bootID
            {
                if !isEmpty { try checkUnproven(try folder.header(of: number, bytes[...]), missing: lost.first ?? last.number + 1) }
                lost.append(number)
                continue
            }
            if let previous = headers.last, isMissing {
                throw folder.damaged(previous.number + 1, nil, "the segment is missing, \(JournalFormat.segmentName(number)) follows")
            }
            let header = try folder.header(of: number, bytes[...])
            if let previous = headers.last, previous.incarnation != header.incarnation {
                throw JournalError(
                    .foreign, file: folder.file(number), position: 24, "it is of incarnation \(hex(header.incarnation)), the one before of \(hex(previous.incarnation))",
                    remedy: "move the files of one of the two away")
            }
            headers.append(header)
        }
        guard let last = headers.last else { return FoundJournal() }
        let isSameBoot = last.bootID == folder.environment.bootID
        var start = headers.count - 1
        while start > 0, !headers[start].isPreviousOnDisk { start -= 1 }
        var found = try isSameBoot ? scanLast(headers) : scanAfterPowerLoss(headers, from: max(0, start - 1))
        found.lost += lost
        if !lost.isEmpty { found.seal = nil }
        found.isSameBoot = isSameBoot
        found.first = headers[0].number
        // Bytes that a failed sync has left are on the disk only when they were written again.
        let isUnsure = found.seal == nil || writer?.hasFailedSync == true
        found.firstUnsynced = isSameBoot && isUnsure ? headers[start].number : found.last + 1
        return found
    }

    /// A segment behind one that is not there: nothing in it may say that the other one was on the disk.
    private func checkUnproven(_ header: SegmentHeader, missing: UInt64) throws(JournalError) {
        if !header.isPreviousOnDisk, try scan(header).maximumSynced == 0 { return }
        throw folder.damaged(missing, 0, "nothing of the segment is there, although segment \(header.number) proves that it was on the disk")
    }

    private func scanLast(_ headers: [SegmentHeader]) throws(JournalError) -> FoundJournal {
        for (header, next) in zip(headers, headers.dropFirst()) {
            let file = folder.file(header.number)
            let facts = try folder.perform(file) { () throws(SystemError) in try folder.files.facts(of: file) }
            if UInt64(facts?.byteCount ?? 0) >= next.previousLength { continue }
            // A mended one may be shorter, and says so.
            if try scan(header).leads(to: next) { continue }
            throw folder.damaged(
                header.number, facts?.byteCount ?? 0, "the file ends here, and had \(next.previousLength) bytes when the next segment began")
        }
        let scan = try scan(headers[headers.count - 1])
        return try conclude(scan, isSameBoot: true)
    }

    private func scan(_ header: SegmentHeader) throws(JournalError) -> SegmentScan {
        SegmentScan(try folder.bytes(of: header.number), header)
    }

    private func conclude(_ scan: SegmentScan, isSameBoot: Bool) throws(JournalError) -> FoundJournal {
        let tail = scan.tail(sameBoot: isSameBoot)
        if case .damaged(let reason) = tail { throw folder.damaged(scan.header.number, scan.end, reason) }
        var found = FoundJournal()
        found.last = scan.header.number
        found.header = scan.header
        found.end = scan.end
        found.chain = scan.chain
        found.numbers = scan.numbers
        found.seal = tail == .clean ? scan.seal : nil
        found.checkpoint = scan.checkpoint
        found.torn = tail == .torn ? scan.restByteCount : 0
        return found
    }

    /// Scans segments after a loss of power. Bytes that had not reached the disk are gone, in any order. Missing bytes are damage if they are known
    /// to have been there.
    ///
    /// - Parameter start: the last segment that was on the disk as a whole: of the one behind it nothing but the header may have come through.
    private func scanAfterPowerLoss(_ headers: [SegmentHeader], from start: Int) throws(JournalError) -> FoundJournal {
        var scans: [SegmentScan] = []
        for header in headers[start...] { scans.append(try scan(header)) }
        /// Whether a later batch says that everything up to and with segment `index` was on the disk.
        func isProven(_ index: Int) -> Bool {
            scans[(index + 1)...].contains { $0.maximumSynced > 0 }
                || scans.indices.contains { $0 > index + 1 && scans[$0].header.isPreviousOnDisk }
        }
        var index = 0
        while index + 1 < scans.count {
            let (scan, next) = (scans[index], scans[index + 1].header)
            guard scan.leads(to: next) else { break }
            // A segment of which nothing but the header has come through.
            if scans[index + 1].batchCount == 0, scans[index + 1].maximumSynced == 0, !isProven(index + 1) { break }
            index += 1
        }
        let isCut = index + 1 < scans.count
        let next = isCut ? scans[index + 1].header : nil
        if let next, !scans[index].leads(to: next), isProven(index) || UInt64(scans[index].end) < next.previousSynced {
            throw folder.damaged(
                scans[index].header.number, scans[index].end,
                (scans[index].fault ?? "nothing is there") + "; \(next.previousLength) bytes had been accepted for good")
        }
        var found = try conclude(scans[index], isSameBoot: false)
        found.lost = headers[(start + index + 1)...].map(\.number)
        // Behind a loss, an earlier hand-over means nothing.
        if isCut { found.seal = nil }
        return found
    }

    /// The state that the caller gave last, and where to replay from.
    func state(_ found: FoundJournal) throws(JournalError) -> (state: [UInt8], replayFrom: JournalPlace) {
        guard let checkpoint = found.checkpoint, checkpoint.base > 0 else {
            return ([], JournalPlace(segment: found.first, offset: JournalFormat.headerByteCount))
        }
        var number = checkpoint.base
        // A segment that a repair has put in place of a lost one has no state and names an older base.
        while true {
            let first = try firstBatch(of: number)
            guard case .checkpoint(let base)? = first.batch.notes.first else {
                throw folder.damaged(number, JournalFormat.headerByteCount, "the segment does not begin with a CHECKPOINT")
            }
            if base.base == number { return (Array(base.state), JournalPlace(segment: number, offset: first.end)) }
            guard base.base > 0, base.base < number else {
                return ([], JournalPlace(segment: found.first, offset: JournalFormat.headerByteCount))
            }
            number = base.base
        }
    }

    private func firstBatch(of number: UInt64) throws(JournalError) -> StoredBatch {
        let bytes: [UInt8]
        do {
            bytes = try folder.bytes(of: number)
        } catch where error.code == .missing {
            throw folder.damaged(number, nil, "the segment is missing, and holds the module's last state")
        }
        let header = try folder.header(of: number, bytes[...])
        let offset = JournalFormat.headerByteCount
        guard case .batch(let stored) = BatchCoding.decode(bytes[min(offset, bytes.count)...], offset: offset, BatchContext(header)) else {
            throw folder.damaged(number, offset, "the CHECKPOINT of the segment is not whole")
        }
        return stored
    }
}

func hex(_ value: UInt64) -> String {
    let digits = String(value, radix: 16)
    return String(repeating: "0", count: 16 - digits.count) + digits
}
