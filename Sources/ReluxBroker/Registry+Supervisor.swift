import ReluxBus
import ReluxPlugin
import ReluxWire

/// Messages of the supervisor: it knows processes, we know what they are for.
extension Registry {
    mutating func heard(
        _ message: SupervisorMessage, from connection: ConnectionID, plugins: [String: PluginFacts]
    ) {
        if case .hello(let hello) = message {
            greet(hello, from: connection, plugins: plugins)
            return
        }
        guard supervisor?.connection == connection else {
            if !strangers.heard(connection) { counters.stale += 1 }
            actions.append(.toSupervisor(connection, .introduce))
            return
        }
        switch message {
        case .hello, .pong: break
        case .ending: close()
        case .started(let host, let pid): started(host, pid)
        case .exited(let host, let pid, let end):
            ended.note(host, pid, now: now)
            if hosts[host]?.announced == pid { hosts[host]?.announced = nil }
            // It claims nothing any more.
            hosts[host]?.claimants.removeAll { $0.hello.pid == pid }
            unwanted.remove(pid)
            // A process that was ordered since is another one: its start is told before its end, and one that never started has no pid.
            guard let known = hosts[host], known.pid == pid || known.pid == 0 && known.process != .ordered && known.process != .idle else {
                counters.stale += 1
                return
            }
            died(host, end, isReported: true)
        case .decided(let host, let next): decided(host, next)
        }
    }

    /// Takes over the supervisor's decision about a host that has no process.
    mutating func decided(_ host: HostID, _ next: ProcessEnd.Next) {
        switch next {
        case .backoff where hosts[host]?.process == .idle, .quarantined where hosts[host]?.process == .idle:
            // It speaks of the host before under this name: nobody has been told to start this one.
            counters.stale += 1
        case .backoff(let milliseconds, let why): backedOff(host, milliseconds, why)
        case .quarantined(let why): quarantined(host, why: why)
        case .resting:
            // The order to stop was meant for the process before.
            if hosts[host]?.process == .backoff { missing(host) }
        case .replaced: break
        }
    }

    private mutating func started(_ id: HostID, _ pid: Int32) {
        ended.started(id, pid)
        guard let host = hosts[id], host.process != .stopping, host.process != .ended else {
            counters.stale += 1
            unwanted.insert(pid)
            if let supervisor { actions.append(.toSupervisor(supervisor.connection, .stop(host: id))) }
            return
        }
        hosts[id]?.announced = pid
        if host.isLive, host.pid != pid, !host.isAnnounced, !host.isForeign {
            // It speaks of a process that has died since: the one that lives has said hello before its own start was told.
            counters.stale += 1
            return
        }
        hosts[id]?.isForeign = false
        guard !host.isLive || host.pid != pid else { return }
        if host.isLive { bury(id, why: "its process \(host.pid) was replaced") }
        if host.process != .ordered {
            hosts[id]?.restarts += 1
            setProcess(.ordered, of: id)
        }
        hosts[id]?.pid = pid
        hosts[id]?.since = now
        for module in host.modules where modules[module]?.state.phase != .refused { moveToStarting(module) }
        settleClaim(on: id)
    }

    /// A module that was declared after the order to start is not in that process yet; it is loaded after its `hello`.
    mutating func moveToStarting(_ id: ModuleID) {
        guard let phase = modules[id]?.state.phase, phase != .starting, phase != .verified else { return }
        if !phase.successors.contains(.starting) { move(id, to: .backoff) }
        move(id, to: .starting)
    }

    private mutating func backedOff(_ id: HostID, _ milliseconds: UInt64, _ why: String) {
        guard let host = hosts[id], host.process != .stopping, host.process != .ended, host.connection == nil else {
            counters.stale += 1
            return
        }
        bury(id, why: why)
        handoverHostEnded(id, why: why)
        setProcess(.backoff, of: id)
        for module in host.modules where modules[module]?.state.phase != .refused {
            guard move(module, to: .backoff, why: why) else { continue }
            actions.append(.publish(.moduleBackoff(module: module, milliseconds: milliseconds, why: why)))
        }
    }

    mutating func quarantined(_ id: HostID, why: String) {
        guard let host = hosts[id], host.process != .stopping, host.process != .ended, host.connection == nil else {
            counters.stale += 1
            return
        }
        bury(id, why: why)
        handoverHostEnded(id, why: why)
        setProcess(.quarantined, of: id)
        for module in host.modules {
            if modules[module]?.isLeaving == true {
                finishRemoval(module, remark: "its host is quarantined: \(why)")
            } else if modules[module]?.state.phase != .refused {
                move(module, to: .quarantined, why: why)
            }
        }
        removeIfEmpty(id)
    }

    // MARK: Hello

    private mutating func greet(
        _ hello: SupervisorHello, from connection: ConnectionID, plugins: [String: PluginFacts]
    ) {
        let isNewLife = hello.instance != supervisorInstance
        let knewNothing = supervisorInstance.isEmpty
        if let before = supervisor?.connection, before != connection { strangers.ended(before) }
        strangers.introduced(connection)
        supervisor = Supervisor(connection: connection, pid: hello.pid, brokerDeaths: hello.brokerDeaths)
        supervisorInstance = hello.instance
        recollection?.running = Set(hello.running.keys)
        mustPersist = true
        isUnsettled = true
        // The processes that it runs are named below.
        for id in hosts.keys { hosts[id]?.announced = nil }
        // Only the cluster of the life before goes down.
        guard boot != .closing || isNewLife else {
            actions.append(.toSupervisor(connection, .shutdown))
            return
        }
        if isNewLife {
            // The processes of the life before have ended with it, and nobody is left to say so.
            unwanted.formIntersection(hello.running.values)
            for id in ordered(handovers.keys) { breakOff(id, why: "the cluster was started again") }
            begin(hello, plugins)
        }
        for (id, pid) in hello.running.sorted(by: { $0.key < $1.key }) {
            if hosts[id] == nil && knewNothing {
                hosts[id] = HostRecord(spec: HostSpec(id: id, plugins: []))
            }
            adopt(id, pid, connection)
        }
        for (id, state) in hello.waiting.sorted(by: { $0.key < $1.key }) { waits(id, state, connection, isNewLife: isNewLife) }
        // Modules may have been loaded or removed while nobody could tell it.
        for id in Set(hello.running.keys).union(hello.waiting.keys).sorted() {
            // Only the supervisor knows the plugins of a process that came before it did, to a registry that was lost.
            guard let spec = startSpec(of: id), !spec.plugins.isEmpty || !spec.executable.isEmpty else { continue }
            actions.append(.toSupervisor(connection, .update(spec)))
        }
        for id in hosts.keys.sorted() where hello.running[id] == nil && hello.waiting[id] == nil { missing(id) }
        isStartQueueStale = true
    }

    /// A process that runs is never started a second time.
    private mutating func adopt(_ id: HostID, _ pid: Int32, _ connection: ConnectionID) {
        ended.started(id, pid)
        guard let host = hosts[id], host.process != .stopping, host.process != .ended else {
            // This registry has never heard of the host, or has forgotten it. The process does not come in by its own word either.
            if hosts[id]?.process != .stopping { unwanted.insert(pid) }
            actions.append(.toSupervisor(connection, .stop(host: id)))
            return
        }
        hosts[id]?.isForeign = false
        hosts[id]?.announced = pid
        if host.isLive && host.pid == pid {
            setProcess(.running, of: id)
            return
        }
        if host.isLive { bury(id, why: "process \(host.pid) was replaced by \(pid) while the broker was away") }
        hosts[id]?.pid = pid
        setProcess(.ordered, of: id)
        for module in host.modules where modules[module]?.state.phase != .refused { moveToStarting(module) }
    }

    /// The supervisor does not start the host now; its patience outlives a broker.
    private mutating func waits(_ id: HostID, _ next: ProcessEnd.Next, _ connection: ConnectionID, isNewLife: Bool) {
        guard let host = hosts[id], host.process != .stopping, host.process != .ended else {
            actions.append(.toSupervisor(connection, .stop(host: id)))
            missing(id)
            return
        }
        if host.process == .idle, !isNewLife {
            // It speaks of the host before under this name, which was removed while the supervisor could not be told.
            counters.stale += 1
            actions.append(.toSupervisor(connection, .stop(host: id)))
            return
        }
        switch next {
        case .backoff(let milliseconds, let why): backedOff(id, milliseconds, why)
        case .quarantined(let why): quarantined(id, why: why)
        case .resting, .replaced: break
        }
    }

    /// The supervisor runs no process of that host.
    mutating func missing(_ id: HostID) {
        guard let host = hosts[id], host.connection == nil, !host.isForeign else { return }
        switch host.process {
        case .running, .stopping: died(id, unreported(host, "ended while the broker was away"))
        case .ordered, .backoff: bury(id, why: "its start was called off")
        case .idle, .quarantined, .ended: return
        }
        guard let host = hosts[id], host.process == .backoff || host.process == .ordered else { return }
        for module in host.modules where modules[module]?.state.phase != .refused { move(module, to: .verified) }
        setProcess(.idle, of: id)
    }
}
