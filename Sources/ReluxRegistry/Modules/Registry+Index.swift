import ReluxControl
import ReluxPlugin
import ReluxWire

/// The only place that changes a module's state, and the sets that follow from the records.
extension Registry {
    /// Moves a module along an arrow of its life; anything else is refused and counted.
    @discardableResult
    mutating func move(_ id: ModuleID, to phase: ModuleState.Phase, why: String = "") -> Bool {
        guard let current = modules[id]?.state else {
            notices.counters.illegalTransitions += 1
            return false
        }
        let next = ModuleState(phase, why: why)
        guard current != next else { return true }
        guard current.phase == phase || current.phase.successors.contains(phase) else {
            notices.counters.illegalTransitions += 1
            return false
        }
        modules[id]?.state = next
        if current.phase != phase {
            modules[id]?.present.since = clock.now
            modules[id]?.quarantinedMilliseconds = nil
            if phase == .starting {
                modules[id]?.present.startedAt = clock.time
                modules[id]?.present.isLoadAsked = false
            }
            if phase == .ready { becameReady(id) }
            turn.mustPersist = turn.mustPersist || !phase.isPending
        }
        index(id)
        turn.isUnsettled = true
        publishState(of: id, from: current.phase)
        return true
    }

    private mutating func becameReady(_ id: ModuleID) {
        guard let record = modules[id] else { return }
        modules[id]?.present.instance.wasReady = true
        if !record.present.instance.wasReady { modules[id]?.present.readyMilliseconds = (clock.time - record.present.startedAt).wholeMilliseconds }
        noteServed(id)
    }

    private mutating func publishState(of id: ModuleID, from before: ModuleState.Phase) {
        guard let record = modules[id] else { return }
        let state = record.state
        switch state.phase {
        case .verified: publish(.moduleDeclared(module: id))
        case .starting: publish(.moduleStarting(module: id))
        case .ready:
            publish(.moduleReady(
                        module: id, epoch: record.epoch.rawValue, milliseconds: record.present.readyMilliseconds))
        case .waiting: publish(.moduleWaiting(module: id, why: state.why))
        case .draining where before != .draining: publish(.moduleDraining(module: id))
        case .stopped where before != .stopped: publish(.moduleStopped(module: id))
        case .quarantined: publish(.moduleQuarantined(module: id, why: state.why))
        case .refused:
            publish(.moduleRefused(module: id, code: record.refusal?.rule.rawValue ?? "refused", message: state.why))
        case .declared, .recovering, .backoff, .draining, .stopped, .standby: break
        }
    }

    /// Brings the derived sets in line with a record.
    mutating func index(_ id: ModuleID) {
        if let record = modules[id] { index.note(record) }
    }

    /// Makes an accepted module a recipient of what it handles.
    mutating func admit(_ id: ModuleID) {
        guard let record = modules[id] else { return }
        index.admit(record)
        if !record.isMember {
            modules[id]?.isMember = true
            let since = record.present.formerSince ?? nextPictureVersion
            modules[id]?.memberSince = since
            modules[id]?.present.formerSince = nil
            turn.hasPictureChanged = true
        }
    }

    /// The reverse of ``admit(_:)``.
    mutating func expel(_ id: ModuleID) {
        guard let record = modules[id] else { return }
        index.expel(record)
        if record.isMember {
            modules[id]?.isMember = false
            turn.hasPictureChanged = true
        }
    }

    /// Deletes the record; the epoch that it had reached stays known.
    mutating func forget(_ id: ModuleID) {
        expel(id)
        guard let record = modules.removeValue(forKey: id) else { return }
        index.remove(id)
        index.contracts[id] = nil
        hosts[record.host]?.modules.removeAll { $0 == id }
        if !record.directory.isEmpty { hosts[record.host]?.spec.plugins.removeAll { $0 == record.directory } }
        forgetNames()
        turn.isUnsettled = true
        turn.mustPersist = true
    }

    mutating func setProcess(_ process: HostRecord.Process, of id: HostID) {
        guard let before = hosts[id]?.process else { return }
        hosts[id]?.process = process
        hosts[id]?.since = clock.now
        startQueue.note(process, of: id)
        if before != process {
            turn.mustPersist = true
            turn.isUnsettled = true
        }
    }

    /// Modules in order of declaration.
    func ordered(_ ids: some Sequence<ModuleID>) -> [ModuleID] {
        ids.sorted { (modules[$0]?.order ?? 0, $0) < (modules[$1]?.order ?? 0, $1) }
    }
}

extension Duration {
    /// Rounded down; 0 for a negative one.
    var wholeMilliseconds: UInt64 {
        let (seconds, attoseconds) = components
        guard seconds >= 0, attoseconds >= 0 else { return 0 }
        return UInt64(seconds) &* 1000 &+ UInt64(attoseconds / 1_000_000_000_000_000)
    }
}
