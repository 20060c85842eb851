/// One host process to be: what the supervisor starts.
package struct HostSpec: Codable, Sendable, Hashable {
    package enum Restart: String, Codable, Sendable, Hashable { case permanent, transient, temporary }
    package var id: HostID
    /// Packed plugin directories, loaded in this order.
    package var plugins: [String]
    /// An executable of its own instead of `relux-host`; empty for the standard host.
    package var executable: String
    package var environment: [String: String]
    package var restart: Restart
    package init(
        id: HostID, plugins: [String], executable: String = "", environment: [String: String] = [:],
        restart: Restart = .permanent
    ) {
        self.id = id
        self.plugins = plugins
        self.executable = executable
        self.environment = environment
        self.restart = restart
    }
}

/// What the supervisor tells the broker.
package enum SupervisorMessage: Codable, Sendable {
    /// Hosts that are running now, by process id; after a broker restart it finds them again.
    case hello(running: [HostID: Int32])
    case started(host: HostID, pid: Int32)
    /// The process ended: `status` in words (`signal 9 (SIGKILL)`, `exit 0`), and the crash report's path if there is one.
    case exited(host: HostID, pid: Int32, status: String, report: String)
    /// It will be started again after the delay, or not any more.
    case backoff(host: HostID, milliseconds: UInt64, why: String)
    case quarantined(host: HostID, why: String)
    case pong
}

/// What the broker tells the supervisor.
package enum SupervisorOrder: Codable, Sendable {
    case start(HostSpec)
    /// Drain has been asked for already; climb the stop ladder (TERM, KILL) from now on and do not start it again.
    case stop(host: HostID)
    /// Kill and start again at once, not counted against its intensity.
    case restart(host: HostID)
    case ping
    /// The whole cluster goes down.
    case shutdown
}
