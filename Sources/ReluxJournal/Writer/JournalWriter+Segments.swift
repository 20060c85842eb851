import ReluxWire

extension JournalWriter {
    /// - Throws: `poisoned`, `fenced`, `removed`.
    func checkUsable(isAppending: Bool = false) throws(JournalError) {
        if let poison { throw poison }
        let now = isAppending && options.lockPatience > 0 ? folder.environment.steadyMilliseconds() : 0
        if lock != nil, now > 0, now >= lockCheckedAt, now - lockCheckedAt < options.lockPatience { return }
        guard let lock else {
            throw JournalError(.poisoned, file: directory, "this writer was closed", remedy: "open the journal again")
        }
        do {
            do { try lock.check(epoch) } catch where error.code == .removed { try checkPlace() }
            lockCheckedAt = now
        } catch {
            // Fenced once is fenced for good.
            if error.code == .fenced || error.code == .removed { poison = error }
            throw error
        }
    }

    /// From here on nothing is written by this writer; the next one recovers from what is on the disk.
    func poisoned(_ cause: JournalError) -> JournalError {
        let error = JournalError(
            .poisoned, file: cause.file, position: cause.position, cause.reason,
            remedy: "what this file holds is not certain any more: end this process, the next one recovers")
        poison = error
        lock?.noteFailedSync()
        return error
    }

    /// One write. What of it has arrived when it fails is taken back, so that the journal is as before.
    ///
    /// - Returns: the bytes of the batch.
    func write(notes: [JournalNote], runs: [JournalRun]) throws(JournalError) -> Int {
        let synced = firstUnsynced == segment.header.number && !isNameUnsynced ? segment.synced : 0
        defer { scratch.bytes.removeAll(keepingCapacity: scratch.bytes.count <= Self.scratchLimit) }
        let chain = BatchCoding.encode(
            notes: notes, runs: runs, number: numbers.batch + 1, previous: segment.chain, synced: UInt64(synced),
            salt: segment.header.salt, offset: segment.end, into: &scratch)
        let byteCount = scratch.bytes.count
        // Made when it is needed: a name for each batch would cost as much as half of its write.
        var file: String { folder.file(segment.header.number) }
        do {
            try JournalError.wrap(file) { () throws(SystemError) in
                try folder.files.writeAll(segment.file, at: segment.end, scratch.bytes[...])
            }
        } catch {
            do throws(SystemError) {
                // Its length stays, which says that nothing was cut.
                try folder.files.clear(segment.file, from: segment.end, to: segment.capacity)
            } catch let second {
                throw poisoned(JournalError(second, file: file))
            }
            throw error
        }
        segment.end += byteCount
        segment.chain = chain
        segment.lastWritten = folder.environment.steadyMilliseconds()
        bytesSinceState += byteCount
        numbers.batch += 1
        for run in runs { numbers.take(run) }
        return byteCount
    }

    /// Begins the next segment, with a CHECKPOINT that holds the numbers and, if given, the caller's state.
    ///
    /// - Throws: `full`, `denied`, `failed`, `refused` (a state that nobody could read); the present segment goes on then.
    func rotate(state: [UInt8]?, room: Int) throws(JournalError) {
        if let state, state.count > JournalFormat.batchByteLimit {
            throw JournalError(
                .refused, file: directory, "a state of \(state.count) bytes is over the limit of \(JournalFormat.batchByteLimit)",
                remedy: "keep less: what came with the last one stands")
        }
        let old = segment
        let next = try SegmentDraft(
            number: old.header.number + 1, incarnation: incarnation, epoch: epoch, numbers: numbers, previousLength: old.end,
            previousSynced: firstUnsynced == old.header.number && !isNameUnsynced ? old.synced : 0, chain: old.chain,
            base: state == nil ? base : old.header.number + 1, state: state ?? [], hole: nil,
            capacity: nextCapacity, room: room
        ).publish(in: folder, onDisk: false)
        // The old one gives back what it had reserved; no harm when it cannot.
        try? folder.files.truncate(old.file, byteCount: old.end)
        folder.files.close(old.file)
        written[old.header.number] = old.lastWritten
        summaries[old.header.number]?.lastWritten = old.lastWritten
        if isOldOnDisk(old) { firstUnsynced = next.header.number }
        isNameUnsynced = true
        segment = next
        numbers.batch += 1
        nextCapacity = options.capacity(after: nextCapacity)
        if state != nil {
            base = next.header.number
            bytesSinceState = 0
        }
    }

    private func isOldOnDisk(_ old: OpenSegment) -> Bool {
        old.synced == old.end && firstUnsynced == old.header.number && !isNameUnsynced
    }
}

/// A segment to be: its header and first batch.
struct SegmentDraft {
    var number: UInt64
    var incarnation: UInt64
    var epoch: Epoch
    /// Before the HOLE, if there is one.
    var numbers: JournalNumbers
    var previousLength: Int
    var previousSynced: Int
    var chain: UInt32
    var base: UInt64
    var state: [UInt8]
    var hole: HoleRecord?
    var capacity: Int
    /// The bytes that have to fit behind the first batch.
    var room: Int

    func publish(in folder: JournalFolder, onDisk: Bool) throws(JournalError) -> JournalWriter.OpenSegment {
        let environment = folder.environment
        let checkpoint = CheckpointRecord(
            incarnation: incarnation, epoch: epoch, bootID: environment.bootID, floor: numbers.floor, position: numbers.position,
            heads: numbers.heads, base: base, state: state[...])
        let notes: [JournalNote] = [.checkpoint(checkpoint)] + (hole.map { [.hole($0)] } ?? [])
        let salt = environment.random()
        let (batch, batchChain) = BatchCoding.encode(
            notes: notes, runs: [], number: numbers.batch + 1, previous: chain, synced: 0, salt: salt,
            offset: JournalFormat.headerByteCount)
        let used = JournalFormat.headerByteCount + batch.count
        let capacity = max(capacity, used + room)
        let header = SegmentHeader(
            number: number, incarnation: incarnation, epoch: epoch, bootID: environment.bootID, salt: salt,
            lastBatch: numbers.batch, previousLength: UInt64(previousLength), previousSynced: UInt64(previousSynced), chain: chain,
            capacity: UInt32(clamping: capacity), wallMilliseconds: environment.wallMilliseconds(), module: folder.module)
        let file = try folder.publish(number, header.encoded() + batch, capacity: capacity, onDisk: onDisk)
        return JournalWriter.OpenSegment(
            header: header, file: file, end: used, chain: batchChain, capacity: capacity, synced: onDisk ? used : 0,
            lastWritten: environment.steadyMilliseconds())
    }
}
