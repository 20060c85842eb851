import ReluxControl
import ReluxPlugin
import ReluxWire

/// Who has a module's image while it is handed over, and what a `hello` means then.
extension Registry {
    /// How a host that says `hello` goes on with one of its modules.
    enum Joining {
        case epoch(Epoch)
        /// It has its image and serves nothing, for now.
        case standsBy
        /// It has another version than the one that is wanted by now.
        case outdated
        /// It runs under an epoch that is over.
        case past
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

    /// Whether the host has no other module.
    func isAlone(_ id: ModuleID, in host: HostID) -> Bool { isLast(id, in: host, besides: nil) }

    /// Whether the host's process has no other module to run: it ends with this one.
    func isLast(_ id: ModuleID, in host: HostID) -> Bool { isLast(id, in: host, besides: .refused) }

    private func isLast(_ id: ModuleID, in host: HostID, besides phase: ModuleState.Phase?) -> Bool {
        let others = hosts[host]?.modules.contains { $0 != id && (phase == nil || modules[$0]?.state.phase != phase) } ?? false
        return !others && !handovers.values.contains { $0.module != id && isGuest($0.module, in: host) }
    }

    // MARK: Hello

    /// The answer to one module of a `hello`, where a hand-over decides it; nil where everything is as ever.
    ///
    /// - Parameter live: the epoch under which it runs there already; nil when it does not.
    mutating func joinHandover(_ module: HostHello.Module, host: HostID, isSameLife: Bool, live: Epoch?) -> Joining? {
        let id = module.declaration.id
        if partings.contains(id, in: host) {
            orderRelease(id, host)
            return .standsBy
        }
        guard let record = modules[id] else { return nil }
        guard let handover = handovers[id] else {
            guard module.state.phase == .standby, module.epoch == nil else { return nil }
            guard record.host == host else {
                // Its hand-over has come to its end without it.
                partings.insert(id, in: host)
                orderRelease(id, host)
                return .standsBy
            }
            return serveAgain(id)
        }
        if handover.to == host {
            if handover.stage == .cuttingOver, let epoch = module.epoch, epoch == handover.reserved {
                adoptSuccessor(handover, epoch)
                if module.state.phase == .waiting || module.state.phase == .ready { handovers[id]?.heard.isRestored = true }
                return resume(id, module)
            }
            if !handover.isWithSuccessor { return prepare(module, handover, host) }
            if handover.stage == .withdrawing {
                if module.epoch == nil { handovers[id]?.heard.standingSince = clock.now } else { orderWithdrawal(of: id, isSecond: false) }
                turn.isUnsettled = true
                return .standsBy
            }
            if let epoch = module.epoch {
                // From the commit on the record is the new version's.
                guard handover.stage == .serving else { return nil }
                if record.isLive, isSameLife, epoch == record.epoch {
                    if module.state.phase == .waiting || module.state.phase == .ready { handovers[id]?.heard.isRestored = true }
                    return resume(id, module)
                }
                // An attempt before the present one: the next order to serve ends it.
            }
            if handover.stage == .committed { return serveAgain(id) }
            handovers[id]?.heard.standingSince = clock.now
            turn.isUnsettled = true
            return .standsBy
        }
        guard handover.from == host else {
            let message = "module id \(id) is taken: it is being handed over (\(handover.summary)), and host \(host) claims it too"
            return turnAway(id, host, Refusal(.moduleIDTaken, message), live: live)
        }
        switch handover.stage {
        case .preparing: return module.state.phase == .standby ? serveAgain(id) : nil
        case .cuttingOver where record.isLive && isSameLife && module.epoch != nil:
            handovers[id]?.isOrdered = false
            turn.isUnsettled = true
            return nil
        case .cuttingOver, .serving, .withdrawing, .committed:
            guard module.epoch == nil else { return nil }
            handovers[id]?.heard.isSealed = module.state.phase == .standby
            turn.isUnsettled = true
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
            handovers[id]?.heard.newEnd = refusal.message
            turn.isUnsettled = true
            return .standsBy
        }
        handovers[id]?.target.imports = module.imports
        if module.state.phase == .standby { standsBy(id) } else { order(.standby(module: id), host) }
        return .standsBy
    }

    /// The module's own host has let go of it, and nobody else is to have it.
    mutating func serveAgain(_ id: ModuleID) -> Joining {
        guard let record = modules[id], let connection = hosts[record.host]?.connection else { return .refused }
        if record.isLeaving {
            order(.drain(module: id), record.host)
            return .standsBy
        }
        if record.state.phase == .refused {
            // Its host may not have heard that.
            partings.insert(id, in: record.host)
            orderRelease(id, record.host)
            return .standsBy
        }
        instanceEnded(id, why: "it was handed over", isCrash: false)
        grant(id, to: connection)
        return .standsBy
    }

    mutating func standsBy(_ id: ModuleID) {
        guard handovers[id]?.heard.isStandingBy == false else { return }
        handovers[id]?.heard.standingSince = clock.now
        turn.isUnsettled = true
        turn.hasPictureChanged = true
    }

    mutating func order(_ order: HostOrder, _ host: HostID) {
        if let connection = hosts[host]?.connection { tell(connection, order) }
    }
}
