import ReluxBus
import ReluxPlugin
import ReluxWire

/// What processes say while a module is handed over, and how the one that is not needed any more goes.
extension Registry {
    /// How a host that says `hello` goes on with one of its modules.
    enum Joining {
        case epoch(Epoch)
        /// It has its image and serves nothing, for now.
        case standsBy
        case refused
    }

    /// Whether the host has the module without being the one that serves it, because we want it so.
    func isGuest(_ id: ModuleID, in host: HostID) -> Bool {
        guard let handover = handovers[id] else { return false }
        return modules[id]?.host != host && (handover.from == host || handover.to == host)
    }

    func hasGuests(_ host: HostID) -> Bool {
        handovers.values.contains { isGuest($0.module, in: host) }
    }

    /// Whether the host's process has no other module to run.
    func isAlone(_ id: ModuleID, in host: HostID) -> Bool {
        let others = hosts[host]?.modules.contains { $0 != id } ?? false
        return !others && !handovers.values.contains { $0.module != id && isGuest($0.module, in: host) }
    }

    // MARK: Hello

    /// The answer to one module of a `hello`, where a hand-over decides it; nil where everything is as ever.
    mutating func joinHandover(_ module: HostHello.Module, host: HostID, isSameLife: Bool) -> Joining? {
        let id = module.declaration.id
        if parting[host]?.contains(id) == true {
            orderRelease(id, host)
            return .standsBy
        }
        guard let record = modules[id] else { return nil }
        guard let handover = handovers[id] else {
            guard module.state.phase == .standby, module.epoch == nil else { return nil }
            guard record.host == host else {
                // Its hand-over has come to its end without it.
                parting[host, default: []].insert(id)
                orderRelease(id, host)
                return .standsBy
            }
            return serveAgain(id)
        }
        if handover.to == host {
            if !handover.isWithSuccessor { return prepare(module, handover, host) }
            if handover.stage == .withdrawing {
                if module.epoch == nil { handovers[id]?.isStandingBy = true } else { orderWithdrawal(of: id, isSecond: false) }
                isUnsettled = true
                return .standsBy
            }
            guard module.epoch == nil else {
                guard handover.stage == .serving, record.isLive, isSameLife, module.epoch == record.epoch else { return nil }
                // What it declares is the new version's, and the record's is not yet.
                if module.state.phase == .waiting || module.state.phase == .ready { handovers[id]?.isRestored = true }
                return resume(id, module)
            }
            if handover.stage == .committed { return serveAgain(id) }
            handovers[id]?.isStandingBy = true
            isUnsettled = true
            return .standsBy
        }
        guard handover.from == host else { return nil }
        switch handover.stage {
        case .preparing: return module.state.phase == .standby ? serveAgain(id) : nil
        case .cuttingOver where record.isLive && isSameLife && module.epoch != nil:
            handovers[id]?.isOrdered = false
            isUnsettled = true
            return nil
        case .cuttingOver, .serving, .withdrawing, .committed:
            guard module.epoch == nil else { return nil }
            handovers[id]?.isSealed = module.state.phase == .standby
            isUnsettled = true
            if module.state.phase != .standby { order(.standby(module: id), host) }
            return .standsBy
        }
    }

    /// A successor that has loaded its image: what the library says of itself counts, as ever.
    private mutating func prepare(_ module: HostHello.Module, _ handover: Handover, _ host: HostID) -> Joining {
        let id = handover.module
        let refusal =
            Self.difference(handover.target.declaration, module.declaration)
            ?? violation(of: module.declaration, imports: module.imports, in: handover.from)
        if let refusal {
            handovers[id]?.newEnd = refusal.message
            isUnsettled = true
            return .standsBy
        }
        handovers[id]?.target.imports = module.imports
        if module.state.phase == .standby { standsBy(id) } else { order(.standby(module: id), host) }
        return .standsBy
    }

    /// The module's own host has let go of it, and nobody else is to have it.
    private mutating func serveAgain(_ id: ModuleID) -> Joining {
        guard let record = modules[id], let connection = hosts[record.host]?.connection else { return .refused }
        if record.isLeaving {
            order(.drain(module: id), record.host)
            return .standsBy
        }
        instanceEnded(id, why: "it was handed over", isCrash: false)
        grant(id, to: connection)
        return .standsBy
    }

    private mutating func standsBy(_ id: ModuleID) {
        guard handovers[id]?.isStandingBy == false else { return }
        handovers[id]?.isStandingBy = true
        handovers[id]?.standingSince = now
        isUnsettled = true
        hasPictureChanged = true
    }

    mutating func order(_ order: HostOrder, _ host: HostID) {
        if let connection = hosts[host]?.connection { actions.append(.toHosts([connection], order)) }
    }

    // MARK: Reports

    /// Whether the report was about a hand-over, and needs no further look.
    mutating func heardOfHandover(_ message: HostMessage, from host: HostID) -> Bool {
        switch message {
        case .state(let id, let state):
            if parting[host]?.contains(id) == true { return true }
            guard state.phase == .standby else { return noteRestored(id, state, host) }
            return stands(id, host)
        case .refused(let id, let code, let message):
            return refused(id, Refusal(Refusal.Rule(rawValue: code), message), host)
        case .left(let id):
            if parting[host]?.remove(id) != nil { return true }
            guard let handover = handovers[id], handover.to == host || isGuest(id, in: host) else { return false }
            if handover.to == host { handovers[id]?.newEnd = "it has left host \(host)" } else { handovers[id]?.isSealed = false }
            isUnsettled = true
            return isGuest(id, in: host)
        case .stored(let id, let shapes):
            guard let record = modules[id], record.host == host else { return true }
            if record.stored != shapes {
                modules[id]?.stored = shapes
                mustPersist = true
            }
            return true
        default: return false
        }
    }

    private mutating func noteRestored(_ id: ModuleID, _ state: ModuleState, _ host: HostID) -> Bool {
        guard let handover = handovers[id] else { return false }
        if isGuest(id, in: host) { return true }
        if handover.stage == .serving, handover.to == host, state.phase == .waiting {
            handovers[id]?.isRestored = true
            isUnsettled = true
        }
        return false
    }

    /// A host has its image and serves nothing.
    private mutating func stands(_ id: ModuleID, _ host: HostID) -> Bool {
        guard let record = modules[id] else { return false }
        if let handover = handovers[id] {
            if handover.to == host {
                if !handover.isWithSuccessor || handover.stage == .withdrawing { standsBy(id) }
                return true
            }
            if handover.from == host, handover.stage != .preparing {
                handovers[id]?.isSealed = true
                isUnsettled = true
                return true
            }
        }
        guard record.host == host else {
            parting[host, default: []].insert(id)
            orderRelease(id, host)
            return true
        }
        _ = serveAgain(id)
        return true
    }

    private mutating func refused(_ id: ModuleID, _ refusal: Refusal, _ host: HostID) -> Bool {
        if parting[host]?.remove(id) != nil { return true }
        guard let handover = handovers[id] else { return false }
        if handover.to == host {
            guard handover.stage != .committed else { return false }
            handovers[id]?.newEnd = refusal.message
        } else if handover.from == host, refusal.rule.rawValue == HostMessage.noWayBack {
            // It lets go all the same, and is served again then.
            handovers[id]?.newEnd = refusal.message
        } else if handover.from == host {
            // It counts only if the hand-over fails: the module itself is about to have another host.
            handovers[id]?.oldRefusal = refusal
            handovers[id]?.isSealed = false
            if modules[id]?.host == host {
                instanceEnded(id, why: refusal.message)
                modules[id]?.state = ModuleState(.starting, why: refusal.message)
                index(id)
            }
        } else {
            return false
        }
        isUnsettled = true
        return true
    }

    /// A process has ended, or is taken for dead.
    mutating func handoverHostEnded(_ host: HostID, why: String) {
        parting[host] = nil
        for (id, handover) in handovers {
            if handover.to == host {
                handovers[id]?.isStandingBy = false
                handovers[id]?.newEnd = why
            } else if handover.from == host {
                handovers[id]?.isSealed = false
                handovers[id]?.isOrdered = handover.stage == .cuttingOver ? false : handover.isOrdered
            } else {
                continue
            }
            isUnsettled = true
        }
    }

    // MARK: Release

    /// Has a host let go of a module that it does not serve, and end if it was its last.
    mutating func release(_ id: ModuleID, from host: HostID, directory: String) {
        guard let record = hosts[host] else { return }
        hosts[host]?.spec.plugins.removeAll { $0 == directory }
        hasPictureChanged = true
        mustPersist = true
        if record.connection != nil, record.process == .running || record.process == .stopping {
            parting[host, default: []].insert(id)
            orderRelease(id, host)
        }
        if isAlone(id, in: host) {
            stopHost(host)
        } else if let supervisor, let spec = startSpec(of: host) {
            actions.append(.toSupervisor(supervisor.connection, .update(spec)))
        }
    }

    private mutating func orderRelease(_ id: ModuleID, _ host: HostID) { order(.drain(module: id), host) }
}
