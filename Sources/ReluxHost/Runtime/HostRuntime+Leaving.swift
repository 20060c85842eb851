import Relux
import ReluxBus
import ReluxPlugin

/// How modules leave, one by one or with their process.
extension HostRuntime {
    /// How a module leaves.
    enum Parting {
        /// The module is removed: what waits for it is handled now, for there is no next life.
        case removed
        /// The process ends, the module stays a member: what it has not begun waits for its next life.
        case ending
        /// The same, with all other processes of the cluster at once.
        case orphaned
    }

    /// A module that is leaving already is waited for: it keeps to the parting that it began with.
    func leave(_ id: ModuleID, _ parting: Parting = .removed) async {
        if let earlier = leaving[id] { return await earlier.value }
        let task = Task {
            // Two ends of one life would get into each other's way.
            await handingOver[id]?.value
            await takeLeave(id, parting)
        }
        leaving[id] = task
        await task.value
        leaving[id] = nil
    }

    private func takeLeave(_ id: ModuleID, _ parting: Parting) async {
        guard let module = modules[id] else {
            link.send(.left(module: id))
            return
        }
        if module.state.phase != .standby { setState(id, ModuleState(.draining, why: endWhy)) }
        if let node = module.node {
            let limit = parting == .orphaned ? min(configuration.drainLimit, Self.orphanLimit) : configuration.drainLimit
            _ = await node.leave(within: limit, yields: parting != .removed)
            exchange.sayKeptRefusals(isLast: true)
            await snapshots.detach(id)
            await endpoint.leave(id, within: parting == .orphaned ? .zero : Self.partingLimit)
            noteEnd(of: module)
            sayEnds()
        }
        forgetStandBy(id)
        probe.forget(id)
        modules[id] = nil
        knownLives[id] = nil
        loader.release(id)
        link.send(.left(module: id))
    }

    /// How far sealed journals have come.
    func sayEnds() {
        let ends = journals.takeEnds()
        if !ends.isEmpty { link.send(.journalEnds(ends)) }
    }

    func forgetStandBy(_ id: ModuleID) {
        endpoint.standDown(id)
        followers[id] = nil
    }

    func noteEnd(of module: HostedModule) {
        if let epoch = module.epoch { lastEpochs[module.id] = epoch }
    }

    /// All at once: each may take its whole limit, and the supervisor's patience is for the process.
    func leaveAll(isOrphan: Bool) async {
        // Before the first one leaves: they may still ask each other.
        exchange.end()
        let patience: Task<Void, any Error>? =
            isOrphan
            ? Task {
                try await Task.sleep(for: Self.orphanLimit)
                // A hand-over or a removal that is under way has a longer limit of its own.
                for id in modules.keys { exchange.stopWaiting(for: id) }
            } : nil
        defer { patience?.cancel() }
        await withTaskGroup(of: Void.self) { group in
            for id in modules.keys { group.addTask { await self.leave(id, isOrphan ? .orphaned : .ending) } }
        }
    }
}
