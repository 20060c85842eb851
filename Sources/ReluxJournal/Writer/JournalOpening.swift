import ReluxWire

/// The steps from a directory to a writer: lock, read, decide, mend, begin a segment.
struct JournalOpening {
    let folder: JournalFolder
    let lock: JournalLock
    let recovery: JournalRecovery
    let numbers: JournalNumbers
    let segment: JournalWriter.OpenSegment
    let base: UInt64
    let firstUnsynced: UInt64
    let isNameUnsynced: Bool
    let oldest: UInt64

    init(folder: JournalFolder, epoch: Epoch, options: JournalOptions) throws(JournalError) {
        let path = folder.path
        try folder.perform(path) { () throws(SystemError) in try folder.files.makeDirectory(path) }
        let lock = try JournalLock(directory: path, environment: folder.environment)
        try self.init(folder: folder, lock: lock, epoch: epoch, options: options, acceptsLoss: false)
    }

    /// - Parameters:
    ///   - epoch: nil for `repair`: it goes on with the last one that wrote.
    ///   - acceptsLoss: numbers jump although the machine has run since.
    init(
        folder: JournalFolder, lock: JournalLock, epoch: Epoch?, options: JournalOptions, acceptsLoss: Bool
    ) throws(JournalError) {
        self.folder = folder
        self.lock = lock
        let reader = RecoveryReader(folder: folder)
        let found = try reader.find(last: lock.earlier)
        let known = max(found.header?.epoch ?? Epoch(0), lock.earlier?.epoch ?? Epoch(0))
        if let epoch { try Self.check(epoch, known, found, lock) }
        let epoch = epoch ?? known
        let isNew = found.header == nil
        var restored: (state: [UInt8], replayFrom: JournalPlace)?
        var base = found.checkpoint?.base ?? 0
        do {
            if !isNew { restored = try reader.state(found) }
        } catch {
            // A state that is lost with its segment: the module replays what is there.
            guard acceptsLoss, error.code == .damaged else { throw error }
            base = 0
        }
        // Nothing is changed before here.
        if lock.earlier?.hasFailedSync == true, found.isSameBoot, found.firstUnsynced <= found.last {
            try folder.writeAgain(found.firstUnsynced...found.last)
        }
        try Self.secureSeal(found, lock, folder)
        try folder.removeDrafts()
        var setAside: [String] = []
        for number in found.lost.reversed() { setAside.append(try folder.setAside(number)) }
        let hole = Self.hole(found, acceptsLoss: acceptsLoss)
        let incarnation = found.header?.incarnation ?? folder.environment.random()
        let isAllOnDisk = found.firstUnsynced > found.last
        // The directory's own name.
        if isNew { try folder.perform(folder.parent) { () throws(SystemError) in try folder.files.syncDirectory(folder.parent) } }
        self.base = base
        let isOnDisk = hole != nil || found.seal != nil || !Self.isBegun(found, lock)
        do throws(JournalError) {
            segment = try SegmentDraft(
                number: found.last + 1, incarnation: incarnation, epoch: epoch, numbers: found.numbers,
                previousLength: found.end, previousSynced: isAllOnDisk ? found.end : 0, chain: found.chain, base: base, state: [],
                hole: hole, capacity: options.firstSegment, room: 0
            ).publish(in: folder, onDisk: isOnDisk)
        } catch {
            Self.takeBack(found.last + 1, folder)
            throw error
        }
        do {
            try lock.claim(epoch)
        } catch {
            folder.files.close(segment.file)
            Self.takeBack(found.last + 1, folder)
            throw error
        }
        Self.cut(found, folder)
        var numbers = found.numbers
        numbers.batch += 1
        if hole != nil { numbers.leap() }
        self.numbers = numbers
        firstUnsynced = isAllOnDisk ? found.last + 1 : found.firstUnsynced
        isNameUnsynced = !isOnDisk
        oldest = isNew ? 1 : found.first
        recovery = JournalRecovery(
            incarnation: incarnation, isNew: isNew, wasSealed: found.seal != nil, lastEpoch: found.header?.epoch ?? Epoch(0),
            end: JournalEnd(epoch: found.header?.epoch ?? Epoch(0), found.numbers),
            cutBytes: found.torn, setAside: setAside, hole: hole, state: restored?.state ?? [], replayFrom: restored?.replayFrom)
    }

    private static func check(_ epoch: Epoch, _ known: Epoch, _ found: FoundJournal, _ lock: JournalLock) throws(JournalError) {
        guard epoch >= known else {
            throw JournalError(
                .staleEpoch, file: lock.path, "epoch \(epoch) is below epoch \(known), which has written here",
                remedy: "another instance has replaced this one: end it; if none runs, restart the broker, which goes on behind what the journals say",
                written: known)
        }
        // A process that could not go on opens its journal again. Others would take the numbers of a second process for those of the first.
        guard epoch > known || found.header == nil || lock.isOurs(epoch) else {
            throw JournalError(
                .staleEpoch, file: lock.path, "epoch \(epoch) has written here in another process",
                remedy: "go on with epoch \(epoch.rawValue &+ 1)", written: known)
        }
        if let seal = found.seal, epoch <= seal.epoch {
            throw JournalError(
                .staleEpoch, file: lock.path, "epoch \(epoch) is not above epoch \(seal.epoch), which has sealed the journal",
                remedy: "go on with epoch \(seal.epoch.rawValue &+ 1)", written: max(known, seal.epoch))
        }
    }

    /// Nothing was said in the segment, and the next attempt, under the same epoch, must not find it: it would take it for another process's.
    private static func takeBack(_ number: UInt64, _ folder: JournalFolder) { try? folder.files.remove(folder.file(number)) }

    /// Whether a writer of this start of the machine has brought its first segment to the disk, and what it had found: a loss of power leaves a journal
    /// that is not sealed, has that writer's HOLE if there is one, and jumps behind all that was said since. Without that the first segment has to be
    /// there, or numbers would be given out again.
    ///
    /// A writer claims the lock behind its first segment.
    private static func isBegun(_ found: FoundJournal, _ lock: JournalLock) -> Bool {
        guard let header = found.header, let earlier = lock.earlier else { return false }
        return found.isSameBoot && earlier.bootID == header.bootID && earlier.epoch == header.epoch
    }

    /// All before a SEAL was on the disk when it was written, but its process may have been killed before the SEAL itself was.
    private static func secureSeal(_ found: FoundJournal, _ lock: JournalLock, _ folder: JournalFolder) throws(JournalError) {
        guard found.isSameBoot, found.seal != nil, found.firstUnsynced > found.last else { return }
        let path = folder.file(found.last)
        try folder.perform(path) { () throws(SystemError) in
            let file = try folder.files.open(path, .readWrite)
            defer { folder.files.close(file) }
            do throws(SystemError) { try folder.files.sync(file) } catch {
                lock.noteFailedSync()
                throw error
            }
        }
    }

    /// The numbers that are declared lost: after another start of the machine, some may have been given out that left no trace.
    private static func hole(_ found: FoundJournal, acceptsLoss: Bool) -> HoleRecord? {
        guard found.header != nil, acceptsLoss || !found.isSameBoot && found.seal == nil else { return nil }
        let numbers = found.numbers
        func range(_ last: UInt64) -> ClosedRange<UInt64> { (last &+ 1)...max(last &+ 1, last &+ JournalNumbers.jump) }
        let lost = numbers.heads.sorted { $0.key < $1.key }.map { HoleRecord.Lost(topic: $0.key, sequences: range($0.value)) }
        return HoleRecord(
            reason: acceptsLoss ? .accepted : .power, jumps: true, lostPositions: range(numbers.position), lost: lost,
            byteCount: UInt64(found.torn), resume: nil)
    }

    /// Gives back the reserved room and the torn tail, which lie behind the end that the new segment names: no harm when they cannot be.
    private static func cut(_ found: FoundJournal, _ folder: JournalFolder) {
        guard found.last > 0 else { return }
        let file = folder.file(found.last)
        guard let handle = try? folder.files.open(file, .readWrite) else { return }
        defer { folder.files.close(handle) }
        try? folder.files.truncate(handle, byteCount: found.end)
    }
}
