package import ReluxWire

/// Mends a damaged journal at the price of what is lost: first the plan, then, if somebody accepts it, the deed.
///
/// Holds the journal's lock from the start. What is replaced is kept in `quarantine`. All sequences jump by 2^32 behind it.
package final class JournalRepair {
    package struct Step: Sendable, Hashable {
        package enum Action: String, Sendable, Hashable {
            /// Written anew from its whole batches, with a HOLE in place of the others.
            case mended
            /// Nothing of it is left; a HOLE stands in its place.
            case replaced
            /// The journal ends before it now.
            case removed
        }
        package var file: String
        package var position: UInt64
        package var reason: String
        package var action: Action
        /// Whole batches behind the damage that are kept.
        package var keptBatches: Int
        package var lost: [HoleRecord.Lost]
        package var lostPositions: ClosedRange<UInt64>?
    }

    /// The steps that would be, or were, done; empty for a sound journal.
    package private(set) var steps: [Step] = []

    private let folder: JournalFolder
    /// nil once the repair is done.
    private var lock: JournalLock?
    private var replacements: [(number: UInt64, bytes: [UInt8], capacity: Int)] = []
    private var removals: [UInt64] = []
    private var lastReadable: UInt64 = 0
    private var previous: (header: SegmentHeader, end: Int, chain: UInt32, numbers: JournalNumbers, base: UInt64)?

    /// Takes the lock and reads everything; changes nothing.
    ///
    /// - Throws: `locked`, `missing`, `otherFormat`, `foreign`, `denied`, `failed`.
    package init(directory: String, module: ModuleID, environment: JournalEnvironment) throws(JournalError) {
        folder = JournalFolder(path: directory, module: module, environment: environment)
        guard let all = try folder.segmentNumbers(), let first = all.first, let last = all.last else {
            throw JournalError(
                .missing, file: directory, "there is no journal of \(module)", remedy: "see `relux journal ls` for what is there")
        }
        let lock = try JournalLock(directory: directory, environment: environment)
        self.lock = lock
        var fault: JournalError?
        do {
            let reader = RecoveryReader(folder: folder)
            _ = try reader.state(try reader.find(last: lock.earlier))
        } catch {
            // Another release's or module's files are nothing that a loss mends.
            guard error.code == .damaged else { throw error }
            fault = error
        }
        // All of it: damage in the middle does not hinder a writer, but those who read.
        let lost = Set((try? RecoveryReader(folder: folder).find(last: lock.earlier))?.lost ?? [])
        lastReadable = (first...last).last { !lost.contains($0) && readable($0) != nil } ?? 0
        for number in first...last where !lost.contains(number) { try plan(number, last: last, lost) }
        // No segment that is there shows the fault: the one with the module's state is not there.
        if steps.isEmpty, let fault {
            steps.append(
                Step(
                    file: fault.file, position: fault.position ?? 0, reason: fault.reason, action: .removed, keptBatches: 0, lost: [],
                    lostPositions: nil))
        }
    }

    /// Does what ``steps`` say, once, and gives the lock back.
    ///
    /// - Returns: the copies of what was replaced or removed.
    /// - Throws: `full`, `denied`, `failed`; it can be done again then.
    package func run() throws(JournalError) -> [String] {
        guard let lock else {
            throw JournalError(.poisoned, file: folder.path, "this repair is done", remedy: "look again with `relux journal verify`")
        }
        var copies: [String] = []
        for replacement in replacements {
            if try exists(replacement.number) { copies.append(try copy(replacement.number)) }
            let file = try folder.publish(replacement.number, replacement.bytes, capacity: replacement.capacity, onDisk: true)
            folder.files.close(file)
        }
        for number in removals.reversed() { copies.append(try folder.setAside(number)) }
        if !removals.isEmpty, let previous { try restoreLength(previous.header) }
        let opening = try JournalOpening(folder: folder, lock: lock, epoch: nil, options: JournalOptions(), acceptsLoss: true)
        folder.files.close(opening.segment.file)
        self.lock = nil
        return copies
    }

    private func exists(_ number: UInt64) throws(JournalError) -> Bool {
        let path = folder.file(number)
        return try folder.perform(path) { () throws(SystemError) in try folder.files.facts(of: path) } != nil
    }

    private func plan(_ number: UInt64, last: UInt64, _ lost: Set<UInt64>) throws(JournalError) {
        let next = number < last && !lost.contains(number + 1) ? readable(number + 1) : nil
        let isLast = number == last || lost.contains(number + 1)
        let bytes = try exists(number) ? try folder.bytes(of: number) : []
        let header: SegmentHeader
        do {
            header = try folder.header(of: number, bytes[...])
        } catch {
            guard error.code == .damaged else { throw error }
            return replace(number, error.position ?? 0, bytes.isEmpty ? "the segment is missing" : error.reason, next)
        }
        let scan = SegmentScan(bytes, header)
        guard scan.batchCount > 0 else { return replace(number, UInt64(scan.end), scan.fault ?? "the CHECKPOINT is not there", next) }
        let fault: String?
        if let next {
            fault = scan.leads(to: next.header) ? nil : scan.fault ?? "the segment ends here, the next one was begun behind byte \(next.header.previousLength)"
        } else if case .damaged(let reason) = scan.tail(sameBoot: header.bootID == folder.environment.bootID, isHeld: isLast) {
            fault = reason
        } else {
            fault = nil
        }
        guard let fault else {
            previous = (header, scan.end, scan.chain, scan.numbers, scan.checkpoint?.base ?? 0)
            return
        }
        let mending = SegmentMending(bytes, scan, next: next)
        replacements.append((number, mending.file, Int(header.capacity)))
        steps.append(
            Step(
                file: folder.file(number), position: UInt64(scan.end), reason: fault, action: .mended, keptBatches: mending.keptBatches,
                lost: mending.lost, lostPositions: mending.lostPositions))
        previous = (header, mending.end, mending.endChain, mending.numbers, scan.checkpoint?.base ?? 0)
    }

    /// The next segment, if its header and CHECKPOINT are whole.
    private func readable(_ number: UInt64) -> (header: SegmentHeader, start: JournalNumbers)? {
        guard let header = try? folder.header(of: number), let summary = try? SegmentSummary(of: number, in: folder) else { return nil }
        return (header, summary.start)
    }

    private func replace(
        _ number: UInt64, _ position: UInt64, _ reason: String, _ next: (header: SegmentHeader, start: JournalNumbers)?
    ) {
        var step = Step(
            file: folder.file(number), position: position, reason: reason, action: .removed, keptBatches: 0, lost: [], lostPositions: nil)
        defer { steps.append(step) }
        let isThere = (try? exists(number)) == true
        guard let previous, number < lastReadable else {
            // Before the first or behind the last that is left: nothing has to be bridged.
            if isThere { removals.append(number) }
            return
        }
        let place = SegmentHeader(
            number: number, incarnation: previous.header.incarnation, epoch: previous.header.epoch, bootID: previous.header.bootID,
            salt: folder.environment.random(), lastBatch: previous.numbers.batch, previousLength: UInt64(previous.end),
            previousSynced: UInt64(previous.end), chain: previous.chain, capacity: 0, wallMilliseconds: folder.environment.wallMilliseconds(),
            module: folder.module)
        let mending = SegmentMending(in: place, from: previous.numbers, base: previous.base, next: next)
        replacements.append((number, mending.file, 0))
        step.action = .replaced
        step.lost = mending.lost
        step.lostPositions = mending.lostPositions
        self.previous = (place, mending.end, mending.endChain, mending.numbers, previous.base)
    }

    /// The last segment has the length that it had reserved, or it would look as if it had been cut.
    private func restoreLength(_ header: SegmentHeader) throws(JournalError) {
        let path = folder.file(header.number)
        try folder.perform(path) { () throws(SystemError) in
            let handle = try folder.files.open(path, .readWrite)
            defer { folder.files.close(handle) }
            let size = try folder.files.facts(handle).byteCount
            try folder.files.truncate(handle, byteCount: max(size, Int(header.capacity)))
        }
    }

    /// The damaged file stays where it is until the mended one takes its name.
    private func copy(_ number: UInt64) throws(JournalError) -> String {
        let bytes = try folder.bytes(of: number)
        let name = "\(folder.quarantine)/\(JournalFormat.segmentName(number)).\(folder.environment.wallMilliseconds())"
        return try folder.perform(name) { () throws(SystemError) in
            try folder.files.makeDirectory(folder.quarantine)
            let path = try folder.files.freeName(name)
            let handle = try folder.files.open(path, .create)
            defer { folder.files.close(handle) }
            try folder.files.writeAll(handle, at: 0, bytes[...])
            try folder.files.sync(handle)
            return path
        }
    }
}
