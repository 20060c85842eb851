package import ReluxBus
package import ReluxWire

/// What the registry knows of one host process.
package struct HostRecord: Codable, Sendable {
    package enum Process: String, Codable, Sendable, Hashable {
        /// To be started when its phase comes.
        case idle
        /// The supervisor was told to start it; no `hello` yet.
        case ordered
        case running
        /// The supervisor starts it again after a delay.
        case backoff
        case quarantined
        /// The supervisor was told to stop it.
        case stopping
        /// Gone, and not started again by itself.
        case ended
    }

    package internal(set) var spec: HostSpec
    package internal(set) var process = Process.idle
    package internal(set) var pid: Int32 = 0
    /// The living process's own name for itself; empty when none is known to live.
    package internal(set) var instance = ""
    package internal(set) var endpoint = ""
    package internal(set) var tapEndpoint = ""
    /// In the order in which it loads them.
    package internal(set) var modules: [ModuleID] = []
    package internal(set) var restarts: UInt64 = 0
    /// Started by somebody else than our supervisor.
    package internal(set) var isForeign = false

    package internal(set) var connection: ConnectionID?
    /// The process that our supervisor runs under the name, as it has told; another one may have the name.
    var announced: Int32?
    /// `pid` is that one. The supervisor's words come in order: what it says of another process before that is old.
    var isAnnounced: Bool { pid > 0 && announced == pid }
    var since: Duration = .zero
    /// Its last sign of life.
    private(set) var lastHeard: Duration = .zero
    /// Its last answer, to a ping or a welcome: only that shows that it hears.
    private(set) var lastAnswered: Duration = .zero
    /// The counters of the living process.
    var bus = BusCore.Counters()
    /// Why what it says has to wait for a disk.
    var disk: [String] = []
    /// That it turns peers away, or has turned some away, for want of descriptors.
    var crowd: String?
    /// Handlers of it that keep a thread.
    var blocked: [BlockedHandler] = []
    /// What its modules have not settled of each other's effects while one of them is stalled.
    var unsettled: (count: UInt64, effects: [EffectID])?
    /// Why we had it killed; its next end is no crash then.
    var restartWhy: String?
    /// That restart was somebody's wish: it drains, and no count of restarts has it.
    var isRestartAsked = false
    /// Further processes that claim the name while the end of the one that has it is not yet known, in the order in which they came.
    var claimants: [Claimant] = []

    enum CodingKeys: String, CodingKey {
        case spec, process, pid, instance, endpoint, tapEndpoint, modules, restarts, isForeign
    }

    init(spec: HostSpec) { self.spec = spec }

    struct Claimant: Sendable {
        var connection: ConnectionID
        var hello: HostHello
        var since: Duration
    }

    /// It has answered, or its time to do so begins now.
    mutating func answered(_ now: Duration) { (lastHeard, lastAnswered) = (now, now) }

    /// It has beaten, or said something.
    mutating func lives(_ now: Duration) { lastHeard = now }

    package var id: HostID { spec.id }
    var isLive: Bool { !instance.isEmpty }
}
