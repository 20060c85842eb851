package import ReluxWire
import Synchronization

extension Relux {
    /// Sets the node's one module up with what its journal says about its earlier lives: its restorable states get their last
    /// value, its numbers go on, and it waits for what it has not been answered. Its queue is held until ``openModule()``.
    ///
    /// - Parameters:
    ///   - openHandlers: told of each handler of the module that begins and ends.
    ///   - runningLimit: how many of its handlers run at a time; those that await a dispatch do not count.
    /// - Returns: names of stored states that the module does not bring any more; their last value stays in the journal.
    /// - Throws: `RegistrationError` for a second state or relay of a type, when the process has a module of that name, and when a
    ///   state's stored value is of a newer version or cannot be decoded or migrated. No state is touched then.
    @discardableResult
    package func join(
        _ module: any Relux.Module, recovery: Recovery, handles: Set<Topic>, emits: Set<Topic>, isSerial: Bool,
        openHandlers: (any OpenHandlers)? = nil, runningLimit: Int = 64
    ) async throws(RegistrationError) -> [String] {
        let parts = ModuleParts(module)
        try parts.check()
        let restorables = try restorables(of: parts)
        var restorations: [@Sendable () async -> Void] = []
        for handle in restorables {
            if let captured = recovery.states[handle.name] { restorations.append(try restoration(captured, handle)) }
        }
        try seat(
            parts, restorables, recovery, handles: handles, emits: emits, isSerial: isSerial, openHandlers: openHandlers,
            runningLimit: runningLimit)
        for restore in restorations { await restore() }
        return recovery.states.keys.filter { name in !restorables.contains { $0.name == name } }.sorted()
    }

    /// The ingress with what its journal says.
    package func joinAsIngress(recovery: Recovery) {
        _ = exchange.add(.publisherOnly(name, numbers: recovery.numbers), recovering: recovery)
    }

    func restorables(of parts: ModuleParts) throws(RegistrationError) -> [RestorableHandle] {
        let handles = parts.states.compactMap { $0 as? any RestorableState }.map { RestorableHandle($0, codingInfo: codingInfo) }
        var names: Set<String> = []
        for handle in handles where !names.insert(handle.name).inserted { throw .duplicateStoredName(handle.name, in: name) }
        return handles
    }

    private func restoration(
        _ captured: CapturedState, _ handle: RestorableHandle
    ) throws(RegistrationError) -> @Sendable () async -> Void {
        guard captured.version <= handle.version else {
            throw .storedStateIsNewer(captured, known: handle.version, in: name)
        }
        do {
            return try handle.restoration(captured)
        } catch {
            throw .storedStateUnreadable(captured, known: handle.version, in: name, error)
        }
    }

    func seat(
        _ parts: ModuleParts, _ restorables: [RestorableHandle], _ recovery: Recovery, handles: Set<Topic>,
        emits: Set<Topic>, isSerial: Bool, openHandlers: (any OpenHandlers)?, runningLimit: Int = 64
    ) throws(RegistrationError) {
        let life = exchange.beginLife()
        currentLife.store(life, ordering: .relaxed)
        var keeper: StateKeeper?
        if let uplink = exchange.uplink, !restorables.isEmpty {
            keeper = StateKeeper(
                restorables, recorded: recovery.states, module: name, isSerial: isSerial, life: life, uplink: uplink,
                countFailed: { [weak exchange, name] count in exchange?.countFailed(count, of: name) },
                settling: { [weak exchange, name] effects, queue in
                    if let exchange { exchange.settling(effects, of: name, queue) } else { queue() }
                })
        }
        let base = ModuleHandler(parts, as: name, node: self, keeper: keeper)
        let needsMore = openHandlers != nil || !recovery.suspects.isEmpty || !recovery.carried.isEmpty || keeper?.isSerial == true
        try store.add(states: parts.states, relays: parts.relays, of: name)
        shapes.withLock { $0 = restorables.map { ($0.name, $0.version, $0.olderVersions.sorted()) } }
        var party = Party(
            id: name, handler: needsMore ? RecoveringHandler(base: base, openHandlers: openHandlers) : base,
            handles: handles, emits: emits, isSerial: isSerial, admission: .held, numbers: recovery.numbers,
            runningLimit: runningLimit)
        party.life = life
        party.lasting = Party.Lasting(
            keeper: keeper, recall: recovery.emissions.isEmpty ? nil : Recall(recovery.emissions), kept: KeptValues(recovery.once))
        party.suspicion = Suspicion(recovery.suspects, carried: recovery.carried)
        guard exchange.add(party, recovering: recovery) else {
            store.discard(name)
            throw .duplicateModule(name, parts.module, known: nil)
        }
        store.set(keeper)
        schedulers.withLock { $0[name] = Scheduler(parts.schedules, of: name, places: recovery.schedules, node: self) }
    }
}

extension Relux.Recovery {
    fileprivate var numbers: Relux.Party.Numbers { Relux.Party.Numbers(position: position, sequences: sequences, start: start) }
}
