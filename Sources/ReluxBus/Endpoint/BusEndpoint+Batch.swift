import Relux
import ReluxPlugin
import Synchronization

extension BusEndpoint {
    /// What one turn of the sending thread has to write down, and what may happen only then.
    struct Batch: Sendable {
        /// What is not written yet; a batch with a record over its limit is never written.
        var draft: Result<[JournalPart], JournalRefusal> = .success([])
        /// The runs that are written and leave with the batch.
        var written: [SaidRun] = []
        var ledgers: [ModuleID: Ledger] = [:]
        var actions: [BusCore.Action] = []
        /// Modules that are about to be handed over; their ledgers are with the others.
        var expected: Set<ModuleID> = []
        var kept: [(waiter: UnsafeContinuation<Bool, Never>, isWritten: Bool)] = []
        /// Modules whose part has to be on the disk before anything follows from it.
        var pressing: Set<ModuleID> = []
        var secured: [(ModuleID, UnsafeContinuation<Void, Never>)] = []
        var isIdle = true
        var nextPull: Duration?
        /// Modules whose journals may keep less than they have.
        var trims: Set<ModuleID> = []
        /// It has waited for room.
        var isRetried = false

        /// The modules that have said something.
        var speakers: [ModuleID] { (try? draft.get())?.filter(\.isLast).map(\.module) ?? [] }

        /// Writes what is left of the draft, or says what hinders it.
        mutating func write(to journal: (any Journaling)?) throws(JournalRefusal) {
            var parts = try draft.get()
            if parts.isEmpty { return }
            draft = .success([])
            guard let journal else { return written = parts.reaching }
            defer { draft = .success(parts) }
            try journal.append(&parts, ledgers: ledgers, pressing: pressing, written: &written)
        }

        /// Records that are not written.
        var recordCount: Int { (try? draft.get())?.reduce(0) { $0 + $1.recordCount } ?? 0 }
    }

    private static var journalPatience: Duration { .milliseconds(100) }

    /// Codes what of the item is coded under no lock.
    func prepare(_ item: inout Item) {
        switch item {
        case .settled(var batch, let states, let module, let life) where batch.contains { $0.needsEncoding }:
            for index in batch.indices { batch[index].encode(userInfo: codingInfo) }
            item = .settled(batch, capturing: states, of: module, life: life)
        case .refused(var settling):
            settling.encode(userInfo: codingInfo)
            item = .refused(settling)
        default: break
        }
    }

    func apply(_ item: Item, to core: inout BusCore, wallTime: UInt64, now: Duration, _ batch: inout Batch) {
        if case .note(let record, let topic, let module, let life, let waiter) = item {
            // What an earlier life says is dropped, and so is what a module says that has left.
            let isWritten = core.isCurrent(life, of: module) && core.write(record, on: topic, of: module)
            if let waiter { batch.kept.append((waiter, isWritten)) }
        } else {
            apply(item, to: &core, wallTime: wallTime, now: now, &batch.actions)
        }
    }

    private func apply(_ item: Item, to core: inout BusCore, wallTime: UInt64, now: Duration, _ actions: inout [BusCore.Action]) {
        switch item {
        case .settled(let batch, let states, let module, let life):
            core.settled(batch, capturing: states, of: module, life: life, now: now, &actions)
        case .refused(let settling): core.refused(settling, now: now, &actions)
        case .emission(let emission): core.append(emission, wallTime: wallTime, now: now, &actions)
        case .action(let action): actions.append(action)
        case .unaccepted(let refused, let count, let isShown):
            core.refused(refused, standingFor: count, isShown: isShown, wallTime: wallTime, &actions)
        default: actions += step(item, &core, now)
        }
    }

    /// Handles the rare items.
    private func step(_ item: Item, _ core: inout BusCore, _ now: Duration) -> [BusCore.Action] {
        switch item {
        case .join(let declaration, let epoch, let ledger, let life, let isHeld, let contracts):
            defer { joining.subtract(1, ordering: .releasing) }
            let actions = core.add(
                declaration, epoch: epoch, ledger: ledger, life: life, isHeld: isHeld, contracts: contracts, now: now)
            return isHeld ? actions : actions + core.appendEarly(declaration.id, now: now)
        case .open(let module): return core.open(module, now: now)
        case .standBy(let declaration): return core.standBy(declaration, now: now)
        case .standDown(let module): return core.standDown(module, now: now)
        case .handOver(let declaration): return core.handOver(declaration, now: now)
        case .leave(let module): return core.remove(module, now: now)
        case .close(let module): return core.close(module, now: now)
        case .picture(let picture): return core.apply(picture, now: now)
        case .secure(let module, _): core.press(module, now: now)
        case .trim, .settled, .refused, .unaccepted, .emission, .action, .note: break
        }
        return []
    }

    /// Writes the batch down, then lets out what depends on it. A batch that finds no room waits, and all behind it.
    func finish(_ batch: consuming Batch) -> Outgoing {
        var batch = batch
        do throws(JournalRefusal) {
            try batch.write(to: journal)
        } catch {
            batch.isRetried = true
            let count = batch.recordCount
            trouble.withLock { $0 = "the journal of \(error.module) takes nothing, \(count) records wait: \(error.description)" }
            stalled.withLock { $0 = batch }
            onTrouble(error)
            var outgoing = letOut(withheld.withLock { $0.takeReleased() })
            outgoing.isIdle = true
            outgoing.nextPull = Self.journalPatience
            return outgoing
        }
        if batch.isRetried { trouble.withLock { $0 = nil } }
        for module in batch.expected {
            if let ledger = batch.ledgers[module] { journal?.prepareHandOver(module, ledger) }
        }
        for module in batch.trims {
            if let ledger = batch.ledgers[module] { journal?.trim(module, ledger) }
        }
        for (waiter, isWritten) in batch.kept { waiter.resume(returning: isWritten) }
        let actions = Self.conflated(batch.actions)
        let pressing = journal == nil ? [] : batch.pressing
        var outgoing: Outgoing
        // Mostly nothing waits for a disk, and nobody but this thread could make it wait now.
        if pressing.isEmpty, batch.secured.isEmpty, withheld.withLock({ $0.isEmpty }) {
            outgoing = letOut(actions, batch.written)
        } else {
            let entries = batch.written.map(Withheld.Entry.run) + actions.map(Withheld.Entry.action) + batch.secured.map { .waiter($1, of: $0) }
            let (free, starts) = withheld.withLock { $0.admit(entries, pressing: pressing) }
            if !starts.isEmpty { syncs.start(starts) }
            outgoing = letOut(free)
        }
        outgoing.isIdle = batch.isIdle
        outgoing.nextPull = batch.nextPull
        return outgoing
    }

    private func letOut(_ entries: [Withheld.Entry]) -> Outgoing {
        var actions: [BusCore.Action] = []
        var runs: [SaidRun] = []
        for entry in entries {
            switch entry {
            case .run(let run): runs.append(run)
            case .action(let action): actions.append(action)
            case .waiter(let continuation, _): continuation.resume()
            }
        }
        return letOut(actions, runs)
    }

    private func letOut(_ actions: [BusCore.Action], _ runs: [SaidRun]) -> Outgoing {
        var packer = FramePacker()
        packer.pack(runs)
        var local: [BusCore.Action] = []
        packer.pack(actions, into: &local)
        perform(local)
        return packer.finish()
    }

    /// On the thread that syncs: the module's journal is brought to the disk, and what waited for it leaves with the next pull.
    func sync(_ module: ModuleID) {
        do throws(JournalRefusal) {
            try journal?.sync(module)
        } catch {
            return onTrouble(error)
        }
        let restarts = withheld.withLock { $0.synced(module) }
        if restarts { syncs.start([module]) }
        transport.wake()
    }

    private func onTrouble(_ refusal: JournalRefusal) {
        if !refusal.isTemporary { onBroken(refusal) }
    }
}
