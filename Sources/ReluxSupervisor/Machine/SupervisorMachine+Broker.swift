import ReluxControl
import ReluxWire

extension SupervisorMachine {
    struct BrokerRecord: Sendable {
        var pid: Int32?
        var restartAt: Duration?
        var ladder: StopLadder?
        var startedAt: Duration = .zero
        /// In a row, for the delay.
        var deaths = 0
        /// Since one has spoken.
        var mute = 0
        /// Since the supervisor's start, those aside that were asked for.
        var total: UInt64 = 0

        var deadline: Duration? { ladder.map(\.deadline) ?? restartAt }
    }

    /// The cluster cannot wait long for its broker, so it is never given up and its delay stays small.
    static let brokerDelay = (base: Duration.milliseconds(10), cap: Duration.milliseconds(500))
    static let brokerHealthyAfter = Duration.seconds(60)

    func startBroker() -> [Action] { [.spawn(.broker)] }

    mutating func brokerSpawned(pid: Int32, now: Duration) -> [Action] {
        broker.pid = pid
        broker.startedAt = now
        broker.restartAt = nil
        // The order to end may have come while it was being started.
        return course == .stoppingBroker ? stopBroker(now: now) : []
    }

    /// An order of the broker shows that it serves.
    mutating func brokerSpoke() -> [Action] {
        guard broker.mute > 0 else { return [] }
        broker.mute = 0
        return [.note(nil)]
    }

    mutating func brokerEnded(_ status: ChildStatus, words: String, now: Duration) -> [Action] {
        // A broker that did not start has not been healthy.
        if broker.pid != nil, now - broker.startedAt >= Self.brokerHealthyAfter { broker.deaths = 0 }
        broker.pid = nil
        broker.ladder = nil
        connected = false
        switch course {
        case .running:
            var delay = Self.brokerDelay.base
            for _ in 0..<min(broker.deaths, 10) { delay *= 2 }
            broker.deaths += 1
            broker.total += 1
            broker.restartAt = now + min(delay, Self.brokerDelay.cap)
            broker.mute += 1
            return [.note(BrokerTrouble(supervisor: identity.pid, deaths: broker.mute, status: status.description, words: words))]
        case .stoppingHosts, .finished:
            return []
        case .stoppingBroker:
            course = .finished
            return [.finish]
        }
    }

    mutating func brokerTick(now: Duration) -> [Action] {
        var actions: [Action] = []
        if let pid = broker.pid {
            while let signal = broker.ladder?.step(now: now) { actions.append(.signal(pid: pid, signal: signal)) }
        } else if course == .running, let due = broker.restartAt, due <= now {
            broker.restartAt = nil
            actions.append(.spawn(.broker))
        }
        return actions
    }

    mutating func stopBroker(now: Duration) -> [Action] {
        course = .stoppingBroker
        broker.restartAt = nil
        guard broker.pid != nil else {
            course = .finished
            return [.finish]
        }
        if broker.ladder == nil { broker.ladder = .withoutDrainRequest(now: now, timing: settings.stop) }
        return brokerTick(now: now)
    }

    /// A broker that comes back knows the members from its registry, but not which processes live.
    mutating func brokerConnected(now: Duration) -> [Action] {
        connected = true
        guard course == .running else { return [] }
        // All in one message: between two it would order a start of what is to wait.
        let waiting = hosts.compactMapValues { host -> SupervisorHello.Waiting? in
            switch host.state {
            case .backoff(let due, let why): .init(first: host.first, next: .backoff(milliseconds: Self.milliseconds(due - now), why: why))
            case .starting: .init(first: host.first, next: .backoff(milliseconds: 0, why: "it is being started"))
            case .quarantined(let why): .init(first: host.first, next: .quarantined(why: why))
            case .running, .stopping, .resting: nil
            }
        }
        return [
            .tell(
                .hello(
                    SupervisorHello(
                        pid: identity.pid, instance: identity.instance, running: running, waiting: waiting, order: latestOrder,
                        declared: identity.declared, start: identity.start, brokerDeaths: broker.total)))
        ]
    }

    static func milliseconds(_ duration: Duration) -> UInt64 {
        UInt64(max(0, DurationText.milliseconds(duration)))
    }
}
