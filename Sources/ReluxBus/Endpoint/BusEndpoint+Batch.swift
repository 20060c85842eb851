import Relux
import ReluxLedger
import Synchronization

extension BusEndpoint {
    private static let journalPatience = Duration.milliseconds(100)

    /// Writes the batch down, then lets out what depends on it. A batch that finds no room waits, and all behind it.
    func finish(_ batch: consuming Batch) -> Outgoing {
        var batch = batch
        do throws(JournalRefusal) {
            try batch.write(to: journal)
        } catch {
            let letOut = step { $0.refused(batch, by: error) }
            if !error.isTemporary { owner.broken(error) }
            var outgoing = perform(letOut)
            outgoing.isIdle = true
            outgoing.nextPull = Self.journalPatience
            return outgoing
        }
        for module in batch.expected {
            if let ledger = batch.ledgers[module] { journal?.prepareHandOver(module, ledger) }
        }
        for module in batch.trims {
            if let ledger = batch.ledgers[module] { journal?.trim(module, ledger) }
        }
        for kept in batch.kept { kept.waiter.resume(returning: kept.isWritten) }
        if journal == nil { batch.pressing = [] }
        let (isIdle, nextPull) = (batch.isIdle, batch.nextPull)
        let (letOut, starts, hasLosses) = step { endpoint in
            let (entries, syncs) = endpoint.written(batch)
            return (entries, syncs, endpoint.hasLosses)
        }
        if !starts.isEmpty { syncs.start(starts) }
        var outgoing = perform(letOut)
        outgoing.isIdle = isIdle && !hasLosses
        outgoing.nextPull = nextPull
        return outgoing
    }

    private func perform(_ letOut: LetOut) -> Outgoing {
        for waiter in letOut.waiters { waiter.resume() }
        var packer = FramePacker()
        packer.pack(letOut.runs)
        var local: [BusCore.Action] = []
        packer.pack(letOut.actions, into: &local)
        perform(local)
        return packer.finish()
    }

    /// On the thread that syncs: the module's journal is brought to the disk, and what waited for it leaves with the next pull.
    func sync(_ module: ModuleID) {
        do throws(JournalRefusal) {
            try journal?.sync(module)
        } catch {
            if !error.isTemporary { owner.broken(error) }
            return
        }
        if step({ $0.synced(module) }) { syncs.start([module]) }
        transport.wake()
    }
}
