package import ReluxControl
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
    /// Started by somebody else than our supervisor, which has never been told to start it.
    package internal(set) var isForeign = false
    /// The latest order of ours that names a start of it; nil: none was given. A report that follows an earlier one decides nothing any more.
    package internal(set) var order: UInt64?
    /// That of the process of ours that lives, else the least that the next one can have. Processes before it are over, and what they say, or is
    /// said of them, comes late. nil: nothing is known of any.
    package internal(set) var start: StartNumber?

    package internal(set) var connection: ConnectionID?
    var since: Duration = .zero
    /// Its last sign of life.
    private(set) var lastHeard: Duration = .zero
    /// Its last answer, to a ping or a welcome: only that shows that it hears.
    private(set) var lastAnswered: Duration = .zero
    /// The counters of the living process.
    var bus = BusCounters()
    /// Why what it says has to wait for a disk.
    var disk: [ClusterNote] = []
    /// That it turns peers away, or has turned some away, for want of descriptors.
    var crowd: String?
    /// Handlers of it that keep a thread.
    var blocked: [BlockedHandler] = []
    /// What its modules have not settled of each other's effects while one of them is stalled.
    var unsettled: (count: UInt64, effects: [EffectID])?

    enum CodingKeys: String, CodingKey {
        case spec, process, pid, instance, endpoint, tapEndpoint, modules, restarts, isForeign, order, start
    }

    init(spec: HostSpec, start: StartNumber? = nil) { (self.spec, self.start) = (spec, start) }

    /// It has answered, or its time to do so begins now.
    mutating func answered(_ now: Duration) { (lastHeard, lastAnswered) = (now, now) }

    /// It has beaten, or said something.
    mutating func lives(_ now: Duration) { lastHeard = now }

    package var id: HostID { spec.id }
    /// No later process of the host is known than that one.
    func mayBe(_ start: StartNumber) -> Bool { self.start.map { $0 <= start } ?? true }
    /// A decision of the supervisor that follows `order` is about this host, and no later order is on its way.
    func isFollowed(by order: UInt64) -> Bool { order >= max(self.order ?? 0, start?.order ?? 0) }
    var isLive: Bool { !instance.isEmpty }
}
