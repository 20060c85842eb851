package import ReluxWire

/// How long an appended batch survives.
package enum JournalDurability: UInt8, Sendable, Hashable, Comparable {
    /// Written: survives `kill -9` of anything. The loss of power may take it; recovery then declares a HOLE.
    case process = 0
    /// On the disk before the append returns: survives the loss of power, and so does all that was appended before.
    case machine = 1

    package static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }
}

/// The result of an append.
package struct JournalReceipt: Sendable, Hashable {
    /// Where the batch is; a reader may seek there.
    package var place: JournalPlace
    package var batch: UInt64
    package var byteCount: Int
    /// Whether it survives the loss of power.
    package var isOnDisk: Bool
    /// The last state that the caller gave lies half a segment back, or in an earlier run: the next append should bring a new one.
    package var isCheckpointDue: Bool
    /// Recovery begins with the state that came with this append. What only an older one needs may be trimmed then, and not before.
    package var hasState = false
}

/// The one writer of one module's journal.
///
/// Owned by one thread, which alone calls it; nothing is locked inside. It holds the journal's lock until ``close()``, or until it is
/// released. Opening recovers: a torn tail is cut, a loss of power is answered by a HOLE, damage is refused.
///
///     let journal = try JournalWriter(directory: run.journal(of: "Auth"), module: "Auth", epoch: epoch, environment: .live())
///     restore(journal.recovery.state, from: journal.recovery.replayFrom)      // with a JournalReader
///     let receipt = try journal.append(runs, durability: .process)            // one write
///     for run in runs { publish(run.frame(publisher: "Auth", epoch: epoch)) }
package final class JournalWriter {
    package let module: ModuleID
    package let epoch: Epoch
    /// The result of the opening: what was found and what was done.
    package let recovery: JournalRecovery
    /// How far sequences and positions have been given out, all appended batches included. Whoever numbers records starts here.
    package internal(set) var numbers: JournalNumbers

    let folder: JournalFolder
    let options: JournalOptions
    let incarnation: UInt64
    /// nil once it is closed.
    var lock: JournalLock?
    /// Why nothing can be written any more.
    var poison: JournalError?
    /// When an append has looked at the lock's file last, by the clock that nobody sets.
    var lockCheckedAt: UInt64 = 0

    var segment: OpenSegment
    /// Bytes that the next segment reserves.
    var nextCapacity: Int
    /// The segment whose CHECKPOINT holds the caller's last state; 0 when there is none.
    var base: UInt64
    var bytesSinceState = 0
    /// The oldest segment that may not be on the disk.
    var firstUnsynced: UInt64
    /// Whether a new segment's name may not be on the disk.
    var isNameUnsynced = false
    /// The oldest segment that is there.
    var oldest: UInt64
    /// The bytes of the last batch; their room is used again.
    var scratch = ByteWriter()
    static let scratchLimit = 256 << 10
    /// The content of older segments, as far as a trim has asked.
    var summaries: [UInt64: SegmentSummary] = [:]
    /// When this writer wrote to its older segments last, by the clock that nobody sets.
    var written: [UInt64: UInt64] = [:]

    /// The segment that is written to.
    struct OpenSegment {
        var header: SegmentHeader
        var file: FileHandle
        var end: Int
        /// The checksum that the next batch names.
        var chain: UInt32
        var capacity: Int
        /// The bytes of the segment that are on the disk.
        var synced = 0
        /// Milliseconds since 1970.
        var lastWritten: UInt64
    }

    package var directory: String { folder.path }

    /// Takes the lock, recovers and begins a segment of its own for this epoch. The directory is made if its parent is there.
    ///
    /// - Throws: `locked` (with the pid), `staleEpoch`, `damaged`, `otherFormat`, `foreign`, `denied`, `full`, `failed`. What was accepted before is
    ///   untouched then.
    package init(
        directory: String, module: ModuleID, epoch: Epoch, options: JournalOptions = JournalOptions(),
        environment: JournalEnvironment
    ) throws(JournalError) {
        let opening = try JournalOpening(
            folder: JournalFolder(path: directory, module: module, environment: environment), epoch: epoch, options: options)
        self.module = module
        self.epoch = epoch
        self.options = options
        folder = opening.folder
        lock = opening.lock
        recovery = opening.recovery
        numbers = opening.numbers
        incarnation = opening.recovery.incarnation
        segment = opening.segment
        nextCapacity = options.capacity(after: opening.segment.capacity)
        base = opening.base
        firstUnsynced = opening.firstUnsynced
        isNameUnsynced = opening.isNameUnsynced
        oldest = opening.oldest
        // A process that dies again and again would replay more and more: a new state is due at once.
        bytesSinceState = opening.recovery.isNew ? 0 : options.segmentLimit
    }

    deinit { if lock != nil { folder.files.close(segment.file) } }

    /// Appends a batch: all of the runs or none, with one write, and one sync when it has to be on the disk.
    ///
    /// - Parameters:
    ///   - runs: in the order of their publication. The sequences of a topic rise from run to run and from batch to batch, and so do positions from
    ///     batch to batch; a run's size is the caller's choice.
    ///   - durability: `machine` syncs once, for all that was appended before it too.
    ///   - state: what the caller needs to go on after these runs. With it the next segment begins, and recovery replays from there.
    /// - Returns: when the batch is in the system's hands (`process`) or on the disk (`machine`).
    /// - Throws: `refused` (the runs break a rule), `full` (the journal is as before; try again when there is room), `fenced`, `removed`,
    ///   `poisoned`, `denied`, `failed`. The batch is not accepted then. After a failed sync every later call throws `poisoned`.
    package func append(
        _ runs: [JournalRun], durability: JournalDurability = .process, state: [UInt8]? = nil
    ) throws(JournalError) -> JournalReceipt {
        try checkUsable(isAppending: true)
        if let fault = numbers.fault(in: runs) {
            throw JournalError(
                .refused, file: directory, fault, remedy: "go on from the writer's numbers; a number is given out once")
        }
        let bound = BatchCoding.byteBound(runs)
        guard bound <= JournalFormat.batchByteLimit else {
            throw JournalError(
                .refused, file: directory, "a batch of \(bound) bytes is over the limit of \(JournalFormat.batchByteLimit)",
                remedy: "append it in parts")
        }
        var receipt = JournalReceipt(
            place: JournalPlace(segment: segment.header.number, offset: segment.end), batch: numbers.batch, byteCount: 0,
            isOnDisk: false, isCheckpointDue: false)
        if !runs.isEmpty {
            if segment.end + bound > segment.capacity { try rotate(state: nil, room: bound) }
            receipt.place = JournalPlace(segment: segment.header.number, offset: segment.end)
            receipt.byteCount = try write(notes: [], runs: runs)
            receipt.batch = numbers.batch
        }
        if durability == .machine { try sync() }
        receipt.isOnDisk = isOnDisk
        // A state that finds no room is given again by the next append; what was appended is accepted.
        if let state { receipt.hasState = (try? rotate(state: state, room: 0)) != nil }
        receipt.isCheckpointDue = bytesSinceState >= segment.capacity / 2
        return receipt
    }

    /// One sync for all that was appended with `process` so far: the group commit of a caller that appends in parts.
    ///
    /// - Throws: `poisoned` from then on when it fails; a failed sync is never repeated.
    package func sync() throws(JournalError) {
        try checkUsable()
        guard !isOnDisk else { return }
        do throws(SystemError) {
            while firstUnsynced < segment.header.number {
                let file = try folder.files.open(folder.file(firstUnsynced), .readWrite)
                defer { folder.files.close(file) }
                try folder.files.sync(file)
                firstUnsynced += 1
            }
            try folder.files.sync(segment.file)
            if isNameUnsynced { try folder.files.syncDirectory(folder.path) }
            segment.synced = segment.end
            isNameUnsynced = false
        } catch {
            throw poisoned(JournalError(error, file: folder.file(min(firstUnsynced, segment.header.number))))
        }
    }

    /// The last batch of a journal that is handed over: SEAL, on the disk, and the lock is given back. Only a higher epoch may go on.
    ///
    /// All before it is on the disk first, so that a SEAL says so.
    ///
    /// - Throws: as ``append(_:durability:state:)``; the journal is not sealed then, and can still be closed.
    package func seal() throws(JournalError) {
        try checkUsable()
        try sync()
        let record = SealRecord(epoch: epoch, lastBatch: numbers.batch)
        _ = try write(notes: [.seal(record)], runs: [])
        try sync()
        try? folder.files.truncate(segment.file, byteCount: segment.end)
        close()
    }

    /// How far this life has come.
    package var end: JournalEnd { JournalEnd(epoch: epoch, numbers) }

    /// Gives the lock back. What was appended stays; without ``seal()`` the next writer recovers.
    package func close() {
        guard lock != nil else { return }
        folder.files.close(segment.file)
        lock = nil
    }

    /// Whether all that was appended survives the loss of power.
    package var isOnDisk: Bool {
        segment.synced == segment.end && firstUnsynced == segment.header.number && !isNameUnsynced
    }
}

/// Sizes of a journal's segments.
package struct JournalOptions: Sendable, Hashable {
    /// The bytes that the first segment of a writer reserves; each further one reserves twice as many, up to the limit.
    package var firstSegment = 256 << 10
    package var segmentLimit = 16 << 20
    /// Milliseconds for which an append trusts what an earlier one has read in the lock's file; 0: each looks.
    ///
    /// The system's lock excludes a second writer. The file says besides that somebody has fenced this one, or is gone itself.
    package var lockPatience: UInt64 = 0

    package init() {}

    /// The options of a process that serves modules: a look at the lock's file costs as much as a small append.
    package static let serving: JournalOptions = {
        var options = JournalOptions()
        options.lockPatience = 1
        return options
    }()

    /// The bytes that a segment reserves after one of this capacity.
    func capacity(after capacity: Int) -> Int { min(segmentLimit, max(firstSegment, 2 * min(capacity, segmentLimit))) }
}

/// The result of a trim.
package struct JournalTrim: Sendable, Hashable {
    package var segments: Int
    package var bytes: Int
    /// The bytes that the journal has on the disk now.
    package var remainingBytes: Int
}
