import Relux
import ReluxControl

/// How modules leave, one by one or with their process.
extension HostMachine {
    /// The module is loaded, and will be served here when its present owner has given it up.
    mutating func standBy(_ id: ModuleID) {
        guard let module = modules[id] else { return }
        guard !module.life.isSetUp else { return sayState(of: id) }
        // The process has had something to do, whatever comes of it.
        hasServed = true
        actions.append(.standBy(id))
        setLife(id, .standby)
    }

    mutating func handOver(_ id: ModuleID, older: [String: UInt32]) {
        guard let module = modules[id] else { return actions.append(.send(.left(module: id))) }
        guard let membership = module.life.membership else { return standBy(id) }
        giveUp(id, membership, older: older, next: nil)
    }

    /// Ends the module's life here and seals its journal; its image stays.
    ///
    /// - Parameter next: the epoch under which it is served again here at once. The broker is not told of this end then: it would give whoever
    ///   stands by another epoch, and so for ever.
    mutating func giveUp(_ id: ModuleID, _ membership: Membership, older: [String: UInt32], next: Epoch?) {
        modules[id]?.life = .draining(Departure(kind: .handedOver, membership: membership, isSaid: next == nil))
        step = .handingOver(id, next: next)
        actions.append(.handOver(id, older: older))
    }

    mutating func leave(_ id: ModuleID, _ kind: Departure.Kind, why: String = "") {
        guard let module = modules[id] else { return actions.append(.send(.left(module: id))) }
        // Its end has begun already. After a hand-over it leaves as one that stands by.
        if case .draining = module.life { return }
        guard let membership = module.life.membership else {
            if case .standby = module.life {} else { actions.append(.send(.state(module: id, state: ModuleState(.draining, why: why)))) }
            remove(id)
            return actions.append(.send(.left(module: id)))
        }
        setLife(id, .draining(Departure(kind: kind, membership: membership, why: why)))
        if ending == nil { step = .leaving(id) }
        actions.append(.leave(id, kind))
    }

    mutating func remove(_ id: ModuleID) {
        modules[id] = nil
        actions += [.standDown(id), .release(id)]
    }

    mutating func gone(_ id: ModuleID, _ failure: String?, _ now: Duration) {
        guard case .draining(let departure) = modules[id]?.life else { return }
        lastEpochs[id] = departure.membership.epoch
        guard departure.kind == .handedOver else {
            remove(id)
            actions.append(.send(.left(module: id)))
            if case .leaving(id) = step { step = nil }
            return
        }
        if let failure {
            let code = HostMessage.noWayBack
            actions.append(.send(.refused(module: id, code: code, message: "\(code): \(id) could not be handed over: \(failure)")))
        }
        modules[id]?.life = .standby
        if departure.isSaid { sayState(of: id) }
        if case .handingOver(id, let next) = step { step = .cleaningUp(id, departure.membership.epoch, since: now, next: next) }
    }

    /// The successor does not wait for the clean-up; a next life in this process does.
    mutating func cleaned(_ id: ModuleID, _ epoch: Epoch) {
        if case .cleaningUp(id, epoch, _, let next) = step { afterCleanUp(of: id, next) }
    }

    mutating func afterCleanUp(of id: ModuleID, _ next: Epoch?) {
        step = nil
        if let next { serveNext(id, next) }
    }

    // MARK: The process

    /// All modules leave at once: each may take its whole limit, and the supervisor's patience is for the process.
    mutating func end(_ how: Ending, why: String, _ now: Duration) {
        guard ending == nil else { return }
        ending = how
        turns = []
        actions.append(.beginEnd(isOrphan: how == .orphaned))
        for id in modules.keys.sorted() where !isCleaningUp(id) { leave(id, how == .orphaned ? .orphaned : .ending, why: why) }
        exitIfEmpty()
    }

    private func isCleaningUp(_ id: ModuleID) -> Bool { if case .cleaningUp(id, _, _, _) = step { true } else { false } }

    /// While modules are on their way out, only the ends of their lives and clean-ups count.
    mutating func takeAtEnd(_ event: Event, _ now: Duration) {
        switch event {
        case .gone(let id, let failure): gone(id, failure, now)
        case .cleaned(let id, _) where isCleaningUp(id): leave(id, .ending)
        case .tick:
            guard case .cleaningUp(let id, _, let since, _) = step, now - since >= settings.cleanUpLimit else { return }
            leave(id, .ending)
        case .begin, .order, .loaded, .setUp, .cleaned, .heard, .empty, .end, .orphaned: return
        }
        exitIfEmpty()
    }

    private mutating func exitIfEmpty() {
        guard modules.isEmpty else { return }
        step = nil
        actions.append(.exit(hasServed ? .done : hindrance))
    }
}
