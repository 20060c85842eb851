import Relux
import ReluxPlugin
import Synchronization

extension BusEndpoint {
    /// What one turn of the sending thread has to write down, and what may happen only then.
    struct Batch: Sendable {
        var records: [BusCore.Unwritten] = []
        var ledgers: [ModuleID: Ledger] = [:]
        var actions: [BusCore.Action] = []
        /// Modules that are about to be handed over; their ledgers are with the others.
        var expected: Set<ModuleID> = []
        var kept: [UnsafeContinuation<Bool, Never>] = []
        var isIdle = true
        var nextPull: Duration?
    }

    /// An item with what of it is coded outside the core's lock.
    enum Work {
        case item(Item)
        case settled([(settled: Relux.Settled, result: [UInt8])], capturing: [Relux.CapturedState], of: ModuleID, life: UInt64)
        case refused(Relux.Settled, [UInt8])
    }

    private static var journalPatience: Duration { .milliseconds(100) }

    func prepare(_ item: Item) -> Work {
        switch item {
        case .settled(let batch, let states, let module, let life):
            let coded = batch.map { ($0, ResultCoding.encode($0.result, userInfo: codingInfo)) }
            return .settled(coded, capturing: states, of: module, life: life)
        case .refused(let settled): return .refused(settled, ResultCoding.encode(settled.result, userInfo: codingInfo))
        default: return .item(item)
        }
    }

    func apply(_ work: Work, to core: inout BusCore, wallTime: UInt64, now: Duration) -> [BusCore.Action] {
        switch work {
        case .settled(let batch, let states, let module, let life):
            return core.settled(batch, capturing: states, of: module, life: life, now: now)
        case .refused(let settled, let result):
            var actions: [BusCore.Action] = []
            core.settled(settled, status: .refused, result: result, now: now, &actions)
            return actions
        case .item(let item):
            switch item {
            case .appended(let appended): return core.append([appended], wallTime: wallTime, now: now)
            case .note(let record, let topic, let module, let life, _):
                if core.isCurrent(life, of: module) { core.write(record, on: topic, of: module) }
            case .action(let action): return [action]
            case .join(let declaration, let epoch, let ledger, let life, let isHeld):
                let actions = core.add(declaration, epoch: epoch, ledger: ledger, life: life, isHeld: isHeld, now: now)
                return isHeld ? actions : actions + core.appendEarly(declaration.id, now: now)
            case .open(let module): return core.open(module, now: now)
            case .standBy(let declaration): return core.standBy(declaration, now: now)
            case .standDown(let module): return core.standDown(module, now: now)
            case .handOver(let declaration): return core.handOver(declaration, now: now)
            case .leave(let module): return core.remove(module, now: now)
            case .close(let module): return core.close(module, now: now)
            case .picture(let picture): return core.apply(picture, now: now)
            case .settled, .refused: break
            }
            return []
        }
    }

    /// Writes the batch down, then lets out what depends on it. A batch that finds no room waits, and all behind it.
    func finish(_ batch: Batch) -> Outgoing {
        var batch = batch
        if let journal, !batch.records.isEmpty {
            do throws(JournalRefusal) {
                try journal.append(&batch.records, ledgers: batch.ledgers)
            } catch {
                stalled.withLock { $0 = batch }
                onTrouble(error)
                var outgoing = Outgoing()
                outgoing.nextPull = Self.journalPatience
                return outgoing
            }
        }
        for module in batch.expected {
            if let ledger = batch.ledgers[module] { journal?.prepareHandOver(module, ledger) }
        }
        for continuation in batch.kept { continuation.resume(returning: true) }
        var packer = FramePacker()
        var local: [BusCore.Action] = []
        packer.pack(Self.conflated(batch.actions), into: &local)
        perform(local)
        var outgoing = packer.finish()
        outgoing.isIdle = batch.isIdle
        outgoing.nextPull = batch.nextPull
        return outgoing
    }

    private func onTrouble(_ refusal: JournalRefusal) {
        if !refusal.isTemporary { onBroken(refusal) }
    }
}
