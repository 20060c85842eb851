import Relux
package import ReluxControl
import ReluxLayers
package import ReluxPlugin
package import ReluxWire

/// What the registry knows of one module. The coded part goes into the registry file, the rest is this broker's life.
package struct ModuleRecord: Codable, Sendable {
    package let id: ModuleID
    /// Nil for a plugin whose manifest could not be read.
    package internal(set) var declaration: ModuleDeclaration?
    /// Products of other modules, of the built library as soon as it has been loaded once.
    package internal(set) var imports: [String] = []
    package internal(set) var directory: String
    package internal(set) var host: HostID
    /// Where it was declared or moved to; nil in files of brokers that did not tell it from `host`.
    private var seat: HostID?
    package internal(set) var state = ModuleState(.declared)
    /// Place in the order of declaration.
    package internal(set) var order: UInt64
    /// The latest instance's; 0 while there was none.
    package internal(set) var epoch = Epoch(rawValue: 0)
    /// Whether that instance is alive as far as is known.
    package internal(set) var isLive = false
    /// Whether it is a recipient of what it handles.
    package internal(set) var isMember = false
    /// The picture that made it one.
    package internal(set) var memberSince: UInt64 = 0
    /// Whether `declaration` came from a manifest, which the library must then repeat.
    package internal(set) var isFromManifest = false
    package internal(set) var isLeaving = false
    package internal(set) var refusal: Refusal?
    /// What its states keep; nil as long as nobody has said so.
    package internal(set) var stored: [StoredShape]?
    /// Some instance of it has been set up since it is a member.
    package internal(set) var hasBeenSetUp: Bool?
    /// Quarantined in earlier lives of the broker, milliseconds.
    var quarantinedMilliseconds: UInt64?

    /// The least number of a process that has the wanted version, where one has come with another; see Registry+Outdated.swift.
    var awaitedStart: StartNumber?

    package internal(set) var present = Present()

    /// The facts that this broker has seen; the next broker begins anew.
    package struct Present: Sendable {
        package internal(set) var instance = Instance()
        /// When it came into its phase.
        var since: Duration = .zero
        var startedAt: Duration = .zero
        package internal(set) var readyMilliseconds: UInt64 = 0
        var counters = ModuleCounters()
        /// Since when it is a member, of one that is declared anew.
        var formerSince: UInt64?
        /// The build that served last. The module's next start takes it as long as this build has not been ready.
        var former: PluginVersion?
        /// Its host was told once more to load it.
        var isLoadAsked = false
        /// Clients that asked for the removal.
        var waiters: [Waiter] = []
    }

    /// The reports of its present instance; a new instance begins anew.
    package struct Instance: Sendable {
        /// `proceed` was given to it and still holds.
        package internal(set) var mayBeReady = false
        package internal(set) var wasReady = false
        var stalledSince: Duration?
        /// Nil while it has said nothing.
        var barrier: Relux.StartBarrier.State?
        /// Why its host cannot set it up now; it may be waiting for others as well.
        var hostWhy = ""
    }

    struct Waiter: Sendable {
        var connection: ConnectionID
        var request: String
    }

    enum CodingKeys: String, CodingKey {
        case id, declaration, imports, directory, host, seat, state, order, epoch, isLive, isMember, memberSince, isFromManifest,
            isLeaving, refusal, stored, hasBeenSetUp, quarantinedMilliseconds, awaitedStart
    }

    init(id: ModuleID, declaration: ModuleDeclaration?, directory: String, host: HostID, order: UInt64) {
        self.id = id
        self.declaration = declaration
        self.directory = directory
        self.host = host
        seat = host
        self.order = order
    }

    /// Where its next start puts it. An upgrade leaves into another process for the time being.
    package internal(set) var home: HostID {
        get { seat ?? host }
        set { seat = newValue }
    }

    package var kind: ModuleDeclaration.Kind { declaration?.kind ?? .infrastructure }

    /// Other modules whose interface it needs, in the order in which it imports them.
    var providers: [ModuleID] {
        Layer.interfaces(in: imports).filter { $0 != id }
    }
}
