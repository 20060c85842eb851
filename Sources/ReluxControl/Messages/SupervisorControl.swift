package import ReluxWire

/// One host process to be: what the supervisor starts.
package struct HostSpec: Codable, Sendable, Hashable {
    package enum Restart: String, Codable, Sendable, Hashable, CaseIterable { case permanent, transient, temporary }
    package var id: HostID
    /// Packed plugin directories, loaded in this order.
    package var plugins: [String]
    /// An executable of its own instead of `relux-host`; empty for the standard host.
    package var executable: String
    package var environment: [String: String]
    package var restart: Restart
    /// Said by the broker with each start; a host is told them.
    package var kinds: ModuleKinds?
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

/// The identity and the state of a supervisor: the broker compares them with its registry and orders the difference.
package struct SupervisorHello: Codable, Sendable {
    package var pid: Int32
    /// Fresh for every supervisor process. The same one again means: the broker was away, the cluster was not.
    package var instance: String
    /// Hosts that are running now; none of them is started a second time.
    package var running: [HostID: HostProcess]
    /// Hosts that are to be started later or not any more; a broker that was away forgives them nothing.
    package var waiting: [HostID: Waiting]
    /// The latest order that it has followed; 0 when there was none. What it names neither as running nor as waiting is over, if it was ordered by then.
    package var order: UInt64
    /// The configuration's hosts. The broker compares them with its members, reads their manifests and derives phases and order.
    package var declared: [HostSpec]
    package struct Waiting: Codable, Sendable, Hashable {
        /// Processes before this one have ended.
        package var first: StartNumber
        package var next: ProcessEnd.Next
        package init(first: StartNumber, next: ProcessEnd.Next) { (self.first, self.next) = (first, next) }
    }
    /// In what a start follows the file beyond that; nil: in nothing.
    package var start: Start?
    /// Options that somebody has asked of a start.
    package struct Start: Codable, Sendable, Hashable {
        /// Only what the file names, where the file says; of other members what pends is lost.
        package var isReset: Bool
        /// From the directories that the file leads to, which is what was packed last, where their contracts allow that.
        package var isPacked: Bool
        package init(isReset: Bool = false, isPacked: Bool = false) {
            self.isReset = isReset
            self.isPacked = isPacked
        }
    }
    /// Brokers that have died since this supervisor started.
    package var brokerDeaths: UInt64
    package init(
        pid: Int32, instance: String, running: [HostID: HostProcess], waiting: [HostID: Waiting] = [:], order: UInt64 = 0,
        declared: [HostSpec], start: Start? = nil, brokerDeaths: UInt64 = 0
    ) {
        self.order = order
        self.brokerDeaths = brokerDeaths
        self.pid = pid
        self.instance = instance
        self.running = running
        self.waiting = waiting
        self.declared = declared
        self.start = start
    }
}

/// How a process of a host ended, and what the supervisor does about it. The broker predicts that only for an end that nobody has reported.
package struct ProcessEnd: Codable, Sendable, Hashable {
    /// For people: `signal 9 (SIGKILL)`, `exit 0`, `exit 78 (refused Notes: …)` with the reason that the process gave.
    package var status: String
    /// The process ended by itself, with status 0.
    package var isClean: Bool
    /// Path of the crash report; empty when there is none.
    package var report: String
    package var next: Next
    /// The latest order that `next` follows: it knows nothing of a later one.
    package var order: UInt64

    /// The supervisor's decision about the host.
    package enum Next: Codable, Sendable, Hashable {
        /// Another process is started after the delay, or when somebody orders it.
        case backoff(milliseconds: UInt64, why: String)
        /// None is started before somebody orders it.
        case quarantined(why: String)
        /// The same, because the process was to end, or the host's `restart` asks for no other.
        case resting
        /// Another process was ordered before this one had ended, and is started now; nil: by an order to start.
        case replaced(SupervisorOrder.Restart?)
    }

    package init(status: String, isClean: Bool = false, report: String = "", next: Next, order: UInt64) {
        (self.status, self.isClean, self.report, self.next, self.order) = (status, isClean, report, next, order)
    }
}

/// A message of the supervisor to the broker.
package enum SupervisorMessage: Codable, Sendable {
    /// First message of a connection, and again after the broker came back.
    case hello(SupervisorHello)
    case started(host: HostID, HostProcess)
    case exited(host: HostID, HostProcess, ProcessEnd)
    /// The supervisor's decision about a host changed while it had no process: a start that waits is put off or called off. `order` is the latest
    /// order that it follows.
    case decided(host: HostID, ProcessEnd.Next, order: UInt64)
    /// The cluster goes down: it ends the hosts now, and then the broker.
    case ending
    case pong
}

/// An order of the broker to the supervisor.
package enum SupervisorOrder: Codable, Sendable {
    /// The broker does not know this connection (it was restarted): say `hello` again.
    case introduce
    /// Start it now, also out of backoff or quarantine; nothing happens if it runs. `order`: a number that no order before this one had.
    case start(HostSpec, order: UInt64)
    /// A plugin was added to the host or removed from it: its next start uses this; nothing happens now.
    case update(HostSpec)
    /// Drain has been asked for already; climb the stop ladder (TERM, KILL) from now on and do not start it again.
    case stop(host: HostID)
    /// Kill it now and do not start it again.
    case kill(host: HostID)
    /// End its process and start another one, not counted against its intensity. `order` as in `start`.
    case restart(host: HostID, Restart, order: UInt64)
    /// Effects that a process which died had not settled, from one of their publishers; for its crash report.
    case inFlight(host: HostID, pid: Int32, count: UInt64, effects: [EffectID])
    case ping
    /// The whole cluster goes down.
    case shutdown

    /// Why a host gets another process, and how the present one ends.
    package struct Restart: Codable, Sendable, Hashable {
        package enum Manner: String, Codable, Sendable, Hashable {
            /// TERM, then the stop ladder, because somebody has asked for it: no count of restarts has it.
            case asked
            /// TERM, then the stop ladder.
            case drain
            /// At once.
            case kill
            /// At once, because it does not answer: its end is worth a crash report, which names the reason.
            case cut
        }
        package var manner: Manner
        package var why: String
        package init(_ manner: Manner, why: String) { (self.manner, self.why) = (manner, why) }
    }
}
