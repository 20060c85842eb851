import ReluxSystem

/// Tells the service manager that the cluster's broker answers, that the supervisor's loop goes round, and that it ends.
struct ServiceHerald {
    private let manager: ServiceManager?
    private var isReady = false
    private var saidAt = Duration.zero

    init(_ manager: ServiceManager?) { self.manager = manager }

    /// How long the loop may wait: three words fit into the manager's patience.
    var limit: Duration? { manager?.watchdog.map { $0 / 3 } }

    /// The broker has asked for something, so it listens and has its hosts.
    mutating func brokerAnswers() {
        guard !isReady else { return }
        isReady = true
        manager?.tell("READY=1\nSTATUS=the broker answers; relux status says what is ready")
    }

    mutating func goRound(_ now: Duration) {
        guard let limit, now - saidAt >= limit || saidAt == .zero else { return }
        saidAt = max(now, .nanoseconds(1))
        manager?.tell("WATCHDOG=1")
    }

    func stops() { manager?.tell("STOPPING=1\nSTATUS=hosts are drained") }
}
