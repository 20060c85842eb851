import ReluxControl
import ReluxPlugin
import ReluxWire

/// Reports and ends of processes while a module is handed over, and how a process that is not needed any more lets go.
extension Registry {
    /// Whether the report was about a hand-over, and needs no further look.
    mutating func heardOfHandover(_ message: HostMessage, from host: HostID) -> Bool {
        switch message {
        case .state(let id, let state):
            if partings.contains(id, in: host) { return true }
            guard state.phase == .standby else { return noteRestored(id, state, host) }
            return stands(id, host)
        case .refused(let id, let code, let message):
            return refused(id, Refusal(Refusal.Rule(rawValue: code), message), host)
        case .outlived(let id, let written): return isOutlived(id, by: written, host)
        case .left(let id):
            if partings.remove(id, in: host) {
                // They leave one after the other: the time of the next begins now.
                partings.renew(host)
                loadAgain(id, host)
                return true
            }
            guard let handover = handovers[id], handover.to == host || isGuest(id, in: host) else { return false }
            if handover.to == host { handovers[id]?.heard.newEnd = "it has left host \(host)" } else { handovers[id]?.heard.isSealed = false }
            turn.isUnsettled = true
            return isGuest(id, in: host)
        case .stored(let id, let epoch, let shapes):
            guard let record = modules[id], record.host == host else { return true }
            if let epoch { noteOpened(id, epoch) }
            if record.stored != shapes || record.hasBeenSetUp != true {
                modules[id]?.stored = shapes
                modules[id]?.hasBeenSetUp = true
                turn.mustPersist = true
            }
            if served[id]?.directory == record.directory { served[id]?.stored = shapes }
            return true
        default: return false
        }
    }

    /// The successor cannot go on under its epoch: the hand-over fails, and the next process gets a later one. The predecessor gets a later one at once until
    /// it is ordered to give the module up; from then on the hand-over grants the epochs.
    private mutating func isOutlived(_ id: ModuleID, by written: Epoch, _ host: HostID) -> Bool {
        guard let handover = handovers[id] else { return false }
        switch host {
        case handover.to where handover.stage != .committed:
            handovers[id]?.heard.newEnd = "the journal was written under epoch \(written) already"
        case handover.from where handover.stage != .preparing: break
        default: return false
        }
        noteWritten(written, of: id)
        turn.isUnsettled = true
        return true
    }

    private mutating func noteRestored(_ id: ModuleID, _ state: ModuleState, _ host: HostID) -> Bool {
        guard let handover = handovers[id] else { return false }
        if isGuest(id, in: host) { return true }
        if handover.stage == .serving, handover.to == host, state.phase == .waiting {
            handovers[id]?.heard.isRestored = true
            turn.isUnsettled = true
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
                handovers[id]?.heard.isSealed = true
                turn.isUnsettled = true
                return true
            }
        }
        guard record.host == host else {
            partings.insert(id, in: host)
            orderRelease(id, host)
            return true
        }
        _ = serveAgain(id)
        return true
    }

    private mutating func refused(_ id: ModuleID, _ refusal: Refusal, _ host: HostID) -> Bool {
        if partings.remove(id, in: host) { return true }
        guard let handover = handovers[id] else {
            // The hand-over is over by now: the process lets go all the same, and the module is served again then.
            return refusal.rule.rawValue == HostMessage.noWayBack
        }
        if handover.to == host {
            guard handover.stage != .committed else { return false }
            handovers[id]?.heard.newEnd = refusal.message
        } else if handover.from == host, refusal.rule.rawValue == HostMessage.noWayBack {
            // It lets go all the same, and is served again then. At any other time it is the late word of an earlier hand-over.
            guard handover.stage == .cuttingOver else { return true }
            handovers[id]?.heard.newEnd = refusal.message
        } else if handover.from == host {
            // It counts only if the hand-over fails: the module itself is about to have another host.
            handovers[id]?.heard.oldRefusal = refusal
            handovers[id]?.heard.isSealed = false
            if modules[id]?.host == host {
                instanceEnded(id, why: refusal.message)
                modules[id]?.state = ModuleState(.starting, why: refusal.message)
                index(id)
            }
        } else {
            return false
        }
        turn.isUnsettled = true
        return true
    }

    /// A process has ended, or is taken for dead.
    mutating func handoverHostEnded(_ host: HostID, why: String) {
        partings.remove(host)
        for (id, handover) in handovers {
            if handover.to == host {
                handovers[id]?.heard.standingSince = nil
                // The reason is what it said before its end, not the end.
                handovers[id]?.heard.newEnd = handover.heard.newEnd ?? why
            } else if handover.from == host {
                handovers[id]?.heard.isSealed = false
                handovers[id]?.isOrdered = handover.stage == .cuttingOver ? false : handover.isOrdered
            } else {
                continue
            }
            turn.isUnsettled = true
        }
    }

    // MARK: Release

    /// Has a host let go of a module that it does not serve, and end if it was its last.
    mutating func release(_ id: ModuleID, from host: HostID, directory: String) {
        guard let record = hosts[host] else { return }
        hosts[host]?.spec.plugins.removeAll { $0 == directory }
        turn.hasPictureChanged = true
        turn.mustPersist = true
        if record.connection != nil, record.process == .running || record.process == .stopping {
            partings.insert(id, in: host)
            orderRelease(id, host)
        }
        if isLast(id, in: host) {
            stopHost(host)
        } else if supervisor != nil, let spec = startSpec(of: host) {
            orderSupervisor(.update(spec))
        }
    }

    /// The process has let go of what it had of the module, which is to come to it anew.
    private mutating func loadAgain(_ id: ModuleID, _ host: HostID) {
        guard let record = modules[id], record.host == host, !record.isLive, !record.isLeaving, !record.directory.isEmpty, !awaitsStart(record),
            [.verified, .starting, .backoff].contains(record.state.phase), hosts[host]?.process == .running
        else { return }
        move(id, to: .starting)
        order(loadOrder(record.directory), host)
    }

    mutating func orderRelease(_ id: ModuleID, _ host: HostID) { order(.drain(module: id), host) }
}
