import ReluxControl
import ReluxPlugin
import ReluxWire

/// Ends of instances, of host processes and of hosts.
extension Registry {
    /// One run of a module is over: the module keeps its place, and what pends on it waits for its next one.
    mutating func instanceEnded(_ id: ModuleID, why: String, isCrash: Bool = true) {
        guard let record = modules[id], record.isLive else { return }
        modules[id]?.isLive = false
        modules[id]?.present.instance = ModuleRecord.Instance()
        index(id)
        turn.hasPictureChanged = true
        publish(.instanceEnded(module: id, epoch: record.epoch.rawValue))
        if isCrash { publish(.moduleLost(module: id, why: why)) }
    }

    /// Its last words may still come.
    mutating func disconnect(_ connection: ConnectionID) {
        connections[connection] = nil
        notices.strangers.ended(connection)
    }

    /// Takes the host's process for dead, and all that ran in it.
    mutating func bury(_ id: HostID, why: String) {
        guard let host = hosts[id] else { return }
        if let connection = host.connection { disconnect(connection) }
        if host.isLive, let (count, effects) = host.unsettled {
            orderSupervisor(.inFlight(host: id, pid: host.pid, count: count, effects: effects))
        }
        hosts[id]?.unsettled = nil
        hosts[id]?.blocked = []
        hosts[id]?.connection = nil
        hosts[id]?.instance = ""
        hosts[id]?.endpoint = ""
        hosts[id]?.tapEndpoint = ""
        hosts[id]?.pid = 0
        for module in host.modules {
            if host.isLive, host.pid > 0 { losses.noteDeath(of: module, with: id, host.pid) }
            instanceEnded(module, why: why)
        }
        if host.isLive {
            turn.hasPictureChanged = true
            turn.isUnsettled = true
            handoverHostEnded(id, why: why)
        }
    }

    /// The next process of the host has come; the supervisor's word on the end of the one before comes later, or went to another broker.
    mutating func replaced(_ host: HostRecord, by pid: Int32) {
        died(host.id, ProcessEnd(status: "its process \(host.pid) was replaced by \(pid)", next: .replaced(nil), order: .max))
    }

    /// The host's process has ended; what becomes of its modules depends on who wanted it.
    ///
    /// - Parameter isReported: by the supervisor, which has decided what follows.
    mutating func died(_ id: HostID, _ end: ProcessEnd, isReported: Bool = false) {
        guard let host = hosts[id] else { return }
        let status = end.status
        // It had nothing left to do and did not know yet what was loaded into it.
        let isCrossed =
            host.process == .running && end.isClean
            && host.modules.compactMap { modules[$0] }.contains { !$0.isLive && ($0.state.phase == .verified || $0.state.phase == .starting) }
            || isReported && isStoppedForNothing(host, end)
        bury(id, why: status)
        handoverHostEnded(id, why: status)
        if end.next != .replaced(nil) || isReported { publish(.hostExited(host: id.rawValue, status: status, report: end.report)) }
        switch host.process {
        case .stopping where isCrossed: setProcess(.backoff, of: id)
        case .stopping, .ended: setProcess(.ended, of: id)
        case .quarantined: break
        case .idle, .ordered, .running, .backoff:
            setProcess(host.isFollowed(by: end.order) ? end.next.process(isCrossed: isCrossed) : .ordered, of: id)
        }
        let returned = isCrossed || hosts[id]?.process == .ended ? [] : returnToServed(in: id, ended: status)
        for note in returned { remark(note.kind, note.text, of: note.module) }
        for module in host.modules {
            guard let record = modules[module] else { continue }
            if record.isLeaving {
                finishRemoval(module, remark: "its process ended before it had drained: \(status)")
            } else if record.state.phase == .refused || record.state.phase == .quarantined {
                continue
            } else if hosts[id]?.process == .ended {
                // A module that left earlier has said why.
                if record.state.phase != .stopped { move(module, to: .stopped, why: status) }
            } else {
                move(module, to: .backoff, why: end.next.restart?.why ?? status)
            }
        }
        // A process that we had stopped, because it said no hello, may end by itself before that.
        if isReported, host.process != .quarantined {
            if !returned.isEmpty { startAnew(id) }
            // Before another process takes the name.
            decided(id, end.next, order: end.order)
        }
        removeIfEmpty(id)
        retryQueuedLoads()
    }

    /// The deaths of the build that ended do not count against the one that served last.
    private mutating func startAnew(_ id: HostID) {
        guard hosts[id]?.process == .backoff, supervisor != nil, let spec = startSpec(of: id) else { return }
        orderSupervisor(.update(spec))
        orderRestart(id, .init(.kill, why: "what served last starts in it"))
    }

    /// The end of a process that the supervisor has not reported. Nobody of ours starts a process again that a person started, such as a user interface.
    func unreported(_ host: HostRecord, _ why: String) -> ProcessEnd {
        let isOver = host.isForeign && configuration.supervised || host.spec.restart == .temporary
        return ProcessEnd(status: why, next: isOver ? .resting : .backoff(milliseconds: 0, why: why), order: .max)
    }

    /// The process was stopped although modules of it are to go on: they joined it again while the order to stop was on its way, or that order was
    /// overtaken. By itself the supervisor does not leave such a host at rest.
    private func isStoppedForNothing(_ host: HostRecord, _ end: ProcessEnd) -> Bool {
        guard case .resting = end.next, boot != .closing, !host.isForeign, host.spec.restart != .temporary else { return false }
        let members = host.modules.compactMap { modules[$0] }.filter { !$0.isLeaving }
        switch host.process {
        case .stopping: return members.contains { $0.state.phase != .refused && $0.state.phase != .quarantined }
        case .running: return !end.isClean && members.contains(where: \.isLive)
        case .idle, .ordered, .backoff, .quarantined, .ended: return false
        }
    }

    /// Has the host's process stopped, or its start called off.
    mutating func stopHost(_ id: HostID) {
        guard let host = hosts[id] else { return }
        switch host.process {
        case .stopping: return
        case .idle, .ended: setProcess(.ended, of: id)
        case .backoff where !host.isLive, .quarantined where !host.isLive:
            orderSupervisor(.stop(host: id))
            setProcess(.ended, of: id)
        case .backoff, .quarantined, .ordered, .running:
            setProcess(.stopping, of: id)
            if supervisor != nil, !host.isForeign {
                orderSupervisor(.stop(host: id))
            } else if let connection = host.connection {
                tell(connection, .stop)
            }
        }
        removeIfEmpty(id)
    }

    /// A process in which every module is refused has nothing to do.
    mutating func stopIfIdle(_ id: HostID) {
        guard let host = hosts[id], !host.modules.isEmpty else { return }
        if isWithoutWork(id) { stopHost(id) }
    }

    /// No module is in its process, or will be: it has none but refused ones.
    func isWithoutWork(_ id: HostID) -> Bool {
        guard let host = hosts[id] else { return false }
        return host.modules.allSatisfy({ modules[$0]?.state.phase == .refused }) && !hasGuests(id)
    }

    /// Deletes a host that has neither modules nor a process.
    mutating func removeIfEmpty(_ id: HostID) {
        guard let host = hosts[id], host.modules.isEmpty, !host.isLive, !hasGuests(id) else { return }
        // An executable that has not said what it holds is started again with the cluster.
        guard boot != .closing || host.spec.executable.isEmpty else { return }
        let isOver =
            switch host.process {
            case .ended, .quarantined: true
            // An executable without a manifest says what it holds when it runs.
            case .idle, .backoff: host.spec.executable.isEmpty
            case .ordered, .running, .stopping: false
            }
        guard isOver else { return }
        hosts[id] = nil
        startQueue.remove(id)
        turn.mustPersist = true
        turn.isUnsettled = true
    }
}

extension ProcessEnd.Next {
    /// The state of a host whose process has ended so.
    ///
    /// - Parameter isCrossed: something was loaded into the process while it ended.
    fileprivate func process(isCrossed: Bool) -> HostRecord.Process {
        switch self {
        case .resting: isCrossed ? .backoff : .ended
        case .backoff, .quarantined: .backoff
        // A restart that somebody asked for does not count.
        case .replaced(let restart): restart?.manner == .asked ? .ordered : .backoff
        }
    }

    fileprivate var restart: SupervisorOrder.Restart? { if case .replaced(let restart) = self { restart } else { nil } }
}
