package import Relux
package import ReluxJournal
package import ReluxPlugin
package import ReluxWire

/// A message of a host process to the broker: one CBOR value over its DEALER socket.
package enum HostMessage: Codable, Sendable {
    /// First message of a connection, and again after the broker came back (`resumed`: with the epochs it already has).
    case hello(HostHello)
    /// A module of this host changed its state (recovering, ready, draining, stopped, waiting, standby).
    case state(module: ModuleID, state: ModuleState)
    /// A module could not be loaded or broke a rule; the code names the rule. Said again with each `hello` until it is answered with
    /// `refusalNoted`: the end of the process must not overtake its reason.
    case refused(module: ModuleID, code: String, message: String)
    /// The journal of the module was written under that epoch by another process, and the module was given no later one: the registry comes from an
    /// older copy. The broker gives it the next epoch.
    case outlived(module: ModuleID, by: Epoch)
    /// Answer to `ping`; `stalled` lists modules whose executor did not answer in time.
    case pong(stalled: [ModuleID])
    /// Journals of this host that were sealed, and how far they have come: said before the module leaves, or is given up.
    case journalEnds([ModuleID: JournalEnd])
    /// The module has drained and left; its process may end if it was the last.
    case left(module: ModuleID)
    /// The life of this epoch has been set up, so that it has opened the journal; and what its states keep, which the plan of a rollback reads.
    case stored(module: ModuleID, epoch: Epoch?, [StoredShape])
    /// A life of the module is over, and this is what pends on it here; it waits for the next one. Said also when it is nothing.
    case interrupted(module: ModuleID, count: UInt64, effects: [EffectID])
    /// Effects between modules of this host that are not settled: said before a `pong` that names a stalled module, because
    /// nobody else could tell when the process is killed for it. `effects` names the first of them.
    case unsettled(count: UInt64, effects: [EffectID])
    /// Emits the built-in interface's effect or reports counters; shown by `relux status`.
    case counters([ModuleID: ModuleCounters])
    /// Totals of this process's end of the bus since its start; sent when they show something that `relux doctor` names. With them comes the whole
    /// book of what its modules' effects have lost in all their lives: what the broker knows of it is what was told last.
    case bus(BusCounters)
    /// Answer to `resolve`, with the client and request that it came from.
    case resolved(client: ByteString, request: String, module: ModuleID, effect: EffectID, isMarked: Bool)
    /// Answer to `schedule`, with the client and request that it came from: what was done, in words.
    case scheduled(client: ByteString, request: String, module: ModuleID, ScheduleOrder.Outcome)
    /// Why what this host says has to wait for a disk, a line each; empty when it does not any more.
    case disk([ClusterNote])
    /// Peers are turned away for want of descriptors, in words; nil: not any more.
    case crowded(String?)
    /// Handlers that keep a thread now; empty when none does any more.
    case blocked([BlockedHandler])
    /// Where a module's start barrier stands; said when the module is set up, with each change, and again after each `welcome`.
    case startBarrier(module: ModuleID, Relux.StartBarrier.State)
    /// For the courier: asked again until it is answered.
    case courier(CourierQuestion)
}

package struct HostHello: Codable, Sendable {
    package struct Module: Codable, Sendable {
        package var declaration: ModuleDeclaration
        /// Interfaces (`AuthReluxInt`) that the built library imports, from its NEEDED entries.
        package var imports: [String]
        /// Epoch it already runs under, when the connection is resumed; nil in standby, also after it has handed over.
        package var epoch: Epoch?
        /// Epoch of its last life that has ended in this process; nil when none has. It takes a later one only.
        package var ended: Epoch?
        package var state: ModuleState
        package init(declaration: ModuleDeclaration, imports: [String], epoch: Epoch?, ended: Epoch? = nil, state: ModuleState) {
            self.declaration = declaration
            self.imports = imports
            self.epoch = epoch
            self.ended = ended
            self.state = state
        }
    }
    package var host: HostID
    package var pid: Int32
    /// nil if no supervisor started it.
    package var start: StartNumber?
    /// Fresh for every process, so that two lives of a host are told apart.
    package var instance: String
    package var endpoint: String
    package var tapEndpoint: String
    package var modules: [Module]
    package var resumed: Bool
    /// The latest picture that the host has; the broker's next one is later, even when it has lost its registry.
    package var pictureVersion: UInt64
    /// Since its runtime was made, right behind the start of the process; nil when it does not say.
    package var ageMilliseconds: UInt64?
    package init(
        host: HostID, pid: Int32, start: StartNumber? = nil, instance: String, endpoint: String, tapEndpoint: String, modules: [Module],
        resumed: Bool, pictureVersion: UInt64 = 0, ageMilliseconds: UInt64? = nil
    ) {
        self.start = start
        self.ageMilliseconds = ageMilliseconds
        self.host = host
        self.pid = pid
        self.instance = instance
        self.endpoint = endpoint
        self.tapEndpoint = tapEndpoint
        self.modules = modules
        self.resumed = resumed
        self.pictureVersion = pictureVersion
    }

    /// A number that no host has ever been given, and that the broker could not go on from, in words; nil when there is none.
    package var fault: String? {
        // Far above what any broker takes over from a host, so that no cluster ever comes there.
        if pictureVersion > Self.versionLimit { return "it has picture \(pictureVersion), the limit is \(Self.versionLimit)" }
        if let start, start.order > StartNumber.orderLimit { return "it was started as \(start), the limit is order \(StartNumber.orderLimit)" }
        let module = modules.first { $0.epoch.map { $0 > Epoch.limit } ?? false }
        return module.map { "\($0.declaration.id) has epoch \($0.epoch?.rawValue ?? 0), the limit is \(Epoch.limit)" }
    }

    private static let versionLimit: UInt64 = 1 << 62
}

/// The shape of what one RestorableState of a module keeps.
package struct StoredShape: Codable, Sendable, Hashable {
    package var name: String
    package var version: UInt32
    /// Older versions into whose shape it can turn its value.
    package var backTo: [UInt32]
    package init(name: String, version: UInt32, backTo: [UInt32] = []) {
        self.name = name
        self.version = version
        self.backTo = backTo
    }
}

/// Totals since the module's start.
package struct ModuleCounters: Codable, Sendable, Hashable {
    package var emitted: UInt64 = 0
    package var handled: UInt64 = 0
    package var failed: UInt64 = 0
    /// Effects of whomever that ended as lost with it, in all its lives: the broker adds them up.
    package var lost: UInt64 = 0
    package var unhandled: UInt64 = 0
    package var inFlight: UInt64 = 0
    package var gaps: UInt64 = 0
    package var repaired: UInt64 = 0
    /// Dispatches that were not accepted.
    package var refused: UInt64 = 0
    /// Where, and why; nil when there are none. The most frequent, up to ``refusalLimit``.
    package var refusals: [RefusalCount]?
    package init() {}

    package static let refusalLimit = 16

    package mutating func take(_ refusals: Relux.Refusals) {
        refused = refusals.total
        self.refusals = refusals.total == 0 ? nil : refusals.counts.prefix(Self.refusalLimit).map(RefusalCount.init)
    }
}

/// Dispatches of one place that were not accepted for one reason.
package struct RefusalCount: Codable, Sendable, Hashable {
    /// The failure's code, such as `undeclared`.
    package var reason: String
    /// Topic and case; empty for places that are not told apart any more.
    package var effect: String
    /// `Module/File.swift:41`; empty where it is not known.
    package var site: String
    package var count: UInt64
    /// Why, with the remedy; of the latest.
    package var message: String

    package init(reason: String, effect: String, site: String, count: UInt64, message: String) {
        self.reason = reason
        self.effect = effect
        self.site = site
        self.count = count
        self.message = message
    }

    package init(_ count: Relux.Refusals.Count) {
        self.init(reason: count.reason, effect: count.path, site: count.place, count: count.count, message: count.message)
    }
}

/// An order of the broker to a host process.
package enum HostOrder: Codable, Sendable {
    /// The answer to `hello`: the epoch of each accepted module and the picture; comes before any other order.
    case welcome(epochs: [ModuleID: Epoch], picture: ClusterPicture)
    /// How far the journals of these modules are known to have come: before the `welcome` or `serve` with which they are opened.
    case knownLives([ModuleID: KnownLives])
    /// The module may not join; the host reports it, and ends if no module is left.
    case refuse(module: ModuleID, code: String, message: String)
    /// The broker has taken the host's `refused` for that module, and has it on the disk where it changed something: the host may end now.
    case refusalNoted(module: ModuleID)
    case picture(ClusterPicture)
    /// The broker does not know this connection (it was restarted): say `hello` again, `resumed`.
    case introduce
    /// The module's phase has come and all that it imports is ready: it may become ready too. No module, of whatever
    /// kind, reports `ready` before it; a module that is ready already ignores it.
    case proceed(module: ModuleID)
    /// Stop admission, finish what runs (5 s), answer `left`. A module in standby is let go.
    case drain(module: ModuleID)
    /// The module will be served here later: after the `welcome` that gives it no epoch. Answered with the state `standby` once
    /// its image is loaded and its journal is followed, which only its present owner writes.
    case standby(module: ModuleID)
    /// Give the module up: admission ends, what runs is drained (5 s, then cancelled: what is not settled is run again by the
    /// successor, uncharged), its states are captured (those in `older`, by their stored names, in that older version), the
    /// journal is sealed and unlocked. The image stays; answered with the state `standby`. It may come in any phase (what is not open
    /// has nothing to drain) and again, and it takes an earlier `proceed` back.
    case handOver(module: ModuleID, older: [String: UInt32])
    /// Open the journal of a module in standby under this epoch and set it up, then as after a `welcome`: recovering, waiting
    /// for `proceed`. Answered with `refused` when that fails; the module is in standby again then. Nothing new of the module is
    /// appended before `proceed`. From its receipt on a `hello` names the epoch, so that no second one is given for it.
    case serve(module: ModuleID, epoch: Epoch)
    /// Load one more module into this shared host from a packed plugin directory.
    case load(directory: String, kinds: ModuleKinds? = nil)
    /// Mark an open dead letter of the module in its journal and answer `resolved`; the broker keeps nothing of it meanwhile.
    case resolve(
        client: ByteString, request: String, module: ModuleID, effect: EffectID, resolution: DeadRecord.Resolution)
    /// Do that with a schedule of the module and answer `scheduled`; the broker keeps nothing of it meanwhile.
    case schedule(client: ByteString, request: String, module: ModuleID, ScheduleOrder)
    case ping
    /// The courier's answer from the journals of publishers without a process; see `CourierQuestion`.
    case courier(CourierAnswer)
    /// The bytes of the node's disk that journals may keep, so that all stay below its cap; a module without a share has no such limit.
    case journalShares([ModuleID: Int])
    /// End the process after draining every module.
    case stop

    /// The code with which modules are refused whose host has the name of one that lives; nothing is wrong with them.
    package static let nameTaken = "host-name-taken"
}

extension HostMessage {
    /// The code of a refusal to hand over: a state cannot be stored in the older version asked for. `standby` follows all the same.
    package static let noWayBack = "host.noWayBack"

    /// How many effects are named; the others are only counted.
    static let namedLimit = 64

    package static func unsettled(_ effects: [EffectID]) -> HostMessage {
        .unsettled(count: UInt64(effects.count), effects: Array(effects.prefix(namedLimit)))
    }

    package static func interrupted(_ module: ModuleID, _ effects: [EffectID]) -> HostMessage {
        .interrupted(module: module, count: UInt64(effects.count), effects: Array(effects.sorted().prefix(namedLimit)))
    }
}
