import ReluxControl
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
            if !notices.strangers.heard(connection) { notices.counters.stale += 1 }
            turn.actions.append(.toSupervisor(connection, .introduce))
            return
        }
        switch message {
        case .hello, .pong: break
        case .ending: close()
        case .started(let host, let process): started(host, process)
        case .exited(let host, let process, let end): exited(host, process, end)
        case .decided(let host, let next, let order): decided(host, next, order: order)
        }
    }

    private mutating func exited(_ id: HostID, _ process: HostProcess, _ end: ProcessEnd) {
        guard let host = hosts[id], host.mayBe(process.start) else {
            notices.counters.stale += 1
            // The next one has spoken before this word.
            if hosts[id] != nil { publish(.hostExited(host: id.rawValue, status: end.status, report: end.report)) }
            return
        }
        note(process.start.next, of: id)
        // It waits for its turn, and is started whatever has become of the process before.
        guard host.process != .idle else {
            notices.counters.stale += 1
            return
        }
        died(id, end, isReported: true)
    }

    /// Takes over the supervisor's decision about a host that has no process.
    ///
    /// - Parameter order: the latest order that it follows; behind a later one another decision comes.
    mutating func decided(_ id: HostID, _ next: ProcessEnd.Next, order: UInt64) {
        // A host that waits for its turn is started whatever was decided before.
        guard let host = hosts[id], host.process != .idle, host.isFollowed(by: order) else {
            notices.counters.stale += 1
            return
        }
        switch next {
        case .backoff(let milliseconds, let why): backedOff(id, milliseconds, why)
        case .quarantined(let why): quarantined(id, why: why)
        case .resting:
            // The order to stop was meant for the process before.
            if host.process == .backoff { missing(id) }
        case .replaced: break
        }
    }

    private mutating func started(_ id: HostID, _ process: HostProcess) {
        if let host = hosts[id], !host.mayBe(process.start), host.process != .stopping, host.process != .ended {
            // Its end is known, or is about to come: it was started for the host before under this name.
            notices.counters.stale += 1
            return
        }
        guard hosts[id]?.isLive == false || hosts[id]?.start != process.start else { return }
        if let host = hosts[id], host.isLive, host.process == .running { replaced(host, by: process.pid) }
        guard let host = hosts[id], host.process != .stopping, host.process != .ended else {
            notices.counters.stale += 1
            orderSupervisor(.stop(host: id))
            return
        }
        note(process.start, of: id)
        if host.process != .ordered {
            hosts[id]?.restarts += 1
            setProcess(.ordered, of: id)
        }
        hosts[id]?.pid = process.pid
        hosts[id]?.since = clock.now
        for module in host.modules where modules[module]?.state.phase != .refused { moveToStarting(module) }
    }

    /// A module that was declared after the order to start is not in that process yet; it is loaded after its `hello`.
    mutating func moveToStarting(_ id: ModuleID) {
        guard let phase = modules[id]?.state.phase, phase != .starting, phase != .verified else { return }
        if !phase.successors.contains(.starting) { move(id, to: .backoff) }
        move(id, to: .starting)
    }

    private mutating func backedOff(_ id: HostID, _ milliseconds: UInt64, _ why: String) {
        guard let host = hosts[id], host.process != .stopping, host.process != .ended, host.connection == nil else {
            notices.counters.stale += 1
            return
        }
        bury(id, why: why)
        handoverHostEnded(id, why: why)
        setProcess(.backoff, of: id)
        for module in host.modules where modules[module]?.state.phase != .refused {
            guard move(module, to: .backoff, why: why) else { continue }
            publish(.moduleBackoff(module: module, milliseconds: milliseconds, why: why))
        }
    }

    mutating func quarantined(_ id: HostID, why: String) {
        guard let host = hosts[id], host.process != .stopping, host.process != .ended, host.connection == nil else {
            notices.counters.stale += 1
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
        let isNewLife = hello.instance != seat.instance
        let knewNothing = seat.instance.isEmpty
        // Before it says anything else: orders that it has not followed died with an earlier broker.
        let isFirst = supervisor == nil
        if let before = supervisor?.connection, before != connection { notices.strangers.ended(before) }
        notices.strangers.introduced(connection)
        seat.supervisor = SupervisorSeat.Supervisor(connection: connection, pid: hello.pid, brokerDeaths: hello.brokerDeaths)
        seat.instance = hello.instance
        journals.recollection?.running = Set(hello.running.keys)
        turn.mustPersist = true
        turn.isUnsettled = true
        startQueue.note(order: hello.order)
        // Only the cluster of the life before goes down.
        guard boot != .closing || isNewLife else {
            return orderSupervisor(.shutdown)
        }
        if isNewLife {
            // The processes of the life before have ended with it, or are about to, and nobody is left to say so.
            for (id, host) in hosts.sorted(by: { $0.key < $1.key }) where host.isLive && !host.isForeign && hello.running[id]?.start != host.start {
                bury(id, why: "its supervisor has ended")
            }
            for id in ordered(handovers.keys) { breakOff(id, why: "the cluster was started again") }
            begin(hello, plugins)
        }
        if knewNothing {
            for id in hello.running.keys where hosts[id] == nil { hosts[id] = HostRecord(spec: HostSpec(id: id, plugins: [])) }
        }
        if isNewLife {
            // Their numbers are those of a registry that is lost, or later than this copy: what runs is this cluster's all the same.
            for id in Set(hello.running.keys).union(hello.waiting.keys) where hosts[id]?.isLive == false { hosts[id]?.start = nil }
        }
        let lost = isFirst ? hosts.filter { $1.order.map { $0 > hello.order } ?? false } : [:]
        for (id, process) in hello.running.sorted(by: { $0.key < $1.key }) { adopt(id, process, isFirst: isFirst) }
        for (id, state) in hello.waiting.sorted(by: { $0.key < $1.key }) { waits(id, state, isFirst: isFirst) }
        // Modules may have been loaded or removed while nobody could tell it.
        for id in Set(hello.running.keys).union(hello.waiting.keys).sorted() {
            // Only the supervisor knows the plugins of a process that came before it did, to a registry that was lost.
            guard let spec = startSpec(of: id), !spec.plugins.isEmpty || !spec.executable.isEmpty else { continue }
            orderSupervisor(.update(spec))
        }
        for (id, before) in lost.sorted(by: { $0.key < $1.key }) where hello.running[id] != nil || hello.waiting[id] != nil { orderAgain(id, before) }
        for id in hosts.keys.sorted() where hello.running[id] == nil && hello.waiting[id] == nil {
            missing(id, order: hello.order)
            // Its restart was ordered, whatever it ended as.
            if lost[id] != nil, hosts[id]?.process == .ended { giveTurn(to: id) }
        }
        if isFirst { restartAllOutdated() }
        startQueue.renew()
    }

    /// A process that runs is never started a second time.
    private mutating func adopt(_ id: HostID, _ process: HostProcess, isFirst: Bool) {
        guard let host = hosts[id], isWanted(process.start, of: id, isFirst: isFirst) else {
            // This registry has never heard of the host, or has forgotten it; or it is another host under the same name by now.
            startQueue.note(order: process.start.order)
            orderSupervisor(.stop(host: id))
            if let process = hosts[id]?.process, process == .ordered || process == .backoff { missing(id) }
            return
        }
        guard host.mayBe(process.start) else {
            // The next one has spoken before the supervisor's word on it, or its start is ordered.
            notices.counters.stale += 1
            return
        }
        let isKnown = host.isLive && (host.start == process.start || (host.start == nil || host.isForeign) && host.pid == process.pid)
        if host.isLive, !isKnown { replaced(host, by: process.pid) }
        guard hosts[id] != nil else { return orderSupervisor(.stop(host: id)) }
        note(process.start, of: id)
        guard !isKnown else {
            setProcess(.running, of: id)
            return
        }
        hosts[id]?.pid = process.pid
        setProcess(.ordered, of: id)
        for module in host.modules where modules[module]?.state.phase != .refused { moveToStarting(module) }
    }

    /// Whether such a process is wanted: the host is not being taken out, and was not taken out and entered again while the supervisor could not be
    /// told.
    private func isWanted(_ start: StartNumber, of id: HostID, isFirst: Bool) -> Bool {
        guard let host = hosts[id], host.process != .stopping, host.process != .ended else { return false }
        return host.mayBe(start) || host.isLive || host.process != .idle && !isFirst
    }

    /// An order about the host died with the broker that gave it.
    ///
    /// - Parameter before: as the registry's file has it.
    private mutating func orderAgain(_ id: HostID, _ before: HostRecord) {
        guard let host = hosts[id], !host.isForeign, host.order == before.order else { return }
        switch host.process {
        case .running where before.isLive && host.start == before.start:
            orderRestart(id, .init(.drain, why: "its restart was ordered, and the broker ended before it could say so"))
        case .backoff, .quarantined:
            // It was to be started at once.
            giveTurn(to: id)
        case .ordered, .running: hosts[id]?.order = host.start?.order
        case .idle, .stopping, .ended: break
        }
    }

    /// The host is started when its turn comes, whatever kept it from that.
    mutating func giveTurn(to id: HostID) {
        for module in hosts[id]?.modules ?? [] where modules[module]?.state.phase != .refused { move(module, to: .verified) }
        setProcess(.idle, of: id)
    }

    /// The supervisor does not start the host now; its patience outlives a broker.
    private mutating func waits(_ id: HostID, _ waiting: SupervisorHello.Waiting, isFirst: Bool) {
        guard let host = hosts[id], isWanted(waiting.first, of: id, isFirst: isFirst) else {
            startQueue.note(order: waiting.first.order)
            orderSupervisor(.stop(host: id))
            return missing(id)
        }
        guard host.mayBe(waiting.first) else {
            notices.counters.stale += 1
            return
        }
        note(waiting.first, of: id)
        switch waiting.next {
        case .backoff(let milliseconds, let why): backedOff(id, milliseconds, why)
        case .quarantined(let why): quarantined(id, why: why)
        case .resting, .replaced: break
        }
    }

    /// The supervisor runs no process of that host, and has followed all orders up to that one.
    private mutating func missing(_ id: HostID, order: UInt64) {
        if let host = hosts[id], !host.isForeign, host.start.map({ $0.order <= order }) ?? true {
            hosts[id]?.start = StartNumber(order: order &+ 1, attempt: 0)
            if host.connection != nil { bury(id, why: "its process ended while the broker was away") }
        }
        missing(id)
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
        giveTurn(to: host.id)
    }
}
