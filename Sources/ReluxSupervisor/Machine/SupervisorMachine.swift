package import ReluxControl
package import ReluxWire

/// Decides the supervisor's next steps, without a clock, a process or a socket.
///
/// It obeys the broker about hosts, keeps the broker itself alive and decides membership of nothing: its `hello` declares
/// the configuration's hosts to the broker, which orders their start when their phase is due. Every call says what
/// happened and when, and returns what to do, in that order. ``deadline`` is when it wants `tick` at the latest.
package struct SupervisorMachine: Sendable {
    package enum Child: Sendable, Equatable {
        case broker
        case host(HostSpec, StartNumber)
    }

    package enum Event: Sendable {
        /// Once, at the start.
        case begin
        case spawned(Child, pid: Int32)
        case spawnFailed(Child, why: String)
        /// The process has ended and is reaped. `report` is its crash report's path, or empty; `charge` is the effect that has to
        /// answer for the death instead of the host; `words` is the reason that the process gave, or empty.
        case ended(pid: Int32, status: ChildStatus, report: String, charge: EffectID? = nil, words: String = "")
        case brokerConnected, brokerDisconnected
        case order(SupervisorOrder)
        /// SIGTERM, SIGINT or SIGHUP for the supervisor itself; the second one ends all at once.
        case asked(signal: Int32)
        case tick
    }

    package enum Action: Sendable {
        /// Answered by `spawned` or `spawnFailed`.
        case spawn(Child)
        /// To the whole process group.
        case signal(pid: Int32, signal: Int32)
        case tell(SupervisorMessage)
        /// For whoever asks a broker and gets no answer; nil when one has spoken.
        case note(BrokerTrouble?)
        /// Nothing is left to supervise.
        case finish
    }

    package struct Settings: Sendable, Equatable {
        package var limits: RestartPolicy.Limits
        package var stop: StopLadder.Timing
        package init(limits: RestartPolicy.Limits = .init(), stop: StopLadder.Timing = .init()) {
            self.limits = limits
            self.stop = stop
        }
    }

    let settings: Settings
    var broker = BrokerRecord()
    var hosts: [HostID: HostRecord] = [:]
    let identity: Identity
    var connected = false
    var course = Course.running
    /// Nobody has asked for its end.
    var isRunning: Bool { course == .running }
    var starts: UInt64 = 0
    /// The latest order that names a start.
    var latestOrder: UInt64 = 0
    var jitter: @Sendable () -> Double

    /// The part of a `hello` about the supervisor itself.
    package struct Identity: Sendable {
        package var pid: Int32
        /// Fresh for every supervisor process.
        package var instance: String
        /// The configuration's hosts, in file order.
        package var declared: [HostSpec]
        /// Further wishes of somebody for this start.
        package var start: SupervisorHello.Start?
        package init(pid: Int32, instance: String, declared: [HostSpec], start: SupervisorHello.Start? = nil) {
            self.pid = pid
            self.instance = instance
            self.declared = declared
            self.start = start
        }
    }

    enum Course: Sendable, Equatable { case running, stoppingHosts, stoppingBroker, finished }

    /// - Parameter jitter: a number in 0..<1 per call, for the delays of restarts.
    package init(
        _ identity: Identity, settings: Settings = .init(),
        jitter: @escaping @Sendable () -> Double = { .random(in: 0..<1) }
    ) {
        self.identity = identity
        self.settings = settings
        self.jitter = jitter
    }

    package mutating func on(_ event: Event, now: Duration) -> [Action] {
        switch event {
        case .begin: return startBroker()
        case .spawned(.broker, let pid): return brokerSpawned(pid: pid, now: now)
        case .spawned(.host(let spec, let start), let pid): return hostSpawned(spec, HostProcess(start: start, pid: pid), now: now)
        case .spawnFailed(.broker, let why): return brokerEnded(.notStarted(why), words: "", now: now)
        case .spawnFailed(.host(let spec, _), let why):
            return hostEnded(spec.id, pid: 0, status: .notStarted(why), report: "", charge: nil, now: now)
        case .ended(let pid, let status, let report, let charge, let words):
            if broker.pid == pid { return brokerEnded(status, words: words, now: now) }
            guard let id = hosts.first(where: { $0.value.pid == pid })?.key else { return [] }
            return hostEnded(id, pid: pid, status: status, report: report, charge: charge, words: words, now: now)
        case .brokerConnected: return brokerConnected(now: now)
        case .brokerDisconnected:
            connected = false
            return []
        case .order(let order): return brokerSpoke() + obey(order, now: now)
        case .asked:
            return course == .running ? shutDown(now: now) : killAll(now: now)
        case .tick: return tick(now: now)
        }
    }

    /// The earliest time at which `tick` has something to do; nil while only events matter.
    package var deadline: Duration? {
        let all = hosts.values.map(\.deadline) + [broker.deadline]
        return all.compactMap { $0 }.min()
    }

    /// Whether the end of this process is one that was asked for; every other end is worth a crash report.
    package func expectsEnd(of pid: Int32) -> Bool {
        if broker.pid == pid { return broker.ladder != nil }
        return hosts.values.contains { $0.pid == pid && $0.isStopping }
    }

    /// Why this process is killed although nobody wanted it to end: it does not answer. Nil for any other.
    package func whyCut(_ pid: Int32) -> String? { hosts.values.first { $0.pid == pid }?.whyCut }

    /// The present specification of the host's process; nil for any other process.
    package func specification(of pid: Int32) -> HostSpec? { hosts.values.first { $0.pid == pid }?.spec }

    package var running: [HostID: HostProcess] {
        hosts.compactMapValues { host in host.pid.map { HostProcess(start: host.start, pid: $0) } }
    }

    private mutating func tick(now: Duration) -> [Action] {
        var actions = brokerTick(now: now)
        for id in hosts.keys.sorted() { actions += hostTick(id, now: now) }
        return actions
    }

    private mutating func obey(_ order: SupervisorOrder, now: Duration) -> [Action] {
        switch order {
        case .ping: return [.tell(.pong)]
        case .introduce: return brokerConnected(now: now)
        case .update(let spec): return update(spec, now: now)
        case .shutdown: return course == .running ? shutDown(now: now) : []
        case .inFlight: return []
        // While all goes down, hosts only end.
        case .start(_, let number), .restart(_, _, let number): latestOrder = max(latestOrder, number)
        case .stop, .kill: break
        }
        guard course == .running else { return [] }
        switch order {
        case .start(let spec, let number): return start(spec, order: number, now: now)
        case .stop(let host): return stop(host, .afterDrainRequest(now: now, timing: settings.stop), now: now)
        case .kill(let host): return stop(host, .immediately(now: now), now: now)
        case .restart(let host, let why, let number): return restart(host, why, order: number, now: now)
        case .ping, .introduce, .update, .shutdown, .inFlight: return []
        }
    }
}
