import Glibc
package import Relux
import ReluxBus
import ReluxJournal
package import ReluxPlugin
package import ReluxWire
import ReluxZeroMQ
import Synchronization

/// Runs modules in this process on behalf of the broker: loads, joins, opens, drains and leaves as it is told.
///
/// Design notes. Orders come in on the bus's In thread and are worked off here one after the other; a module's own code runs in its
/// drains and on the main actor, never where it could delay an order, a heartbeat or a settlement.
package actor HostRuntime {
    nonisolated let configuration: HostConfiguration
    let context: ZeroMQContext
    let transport: ZeroMQTransport
    nonisolated let endpoint: BusEndpoint
    let exchange: Relux.Exchange
    let loader = ImageLoader()
    let sealer: ClusterSealer
    let journals: ModuleJournals
    let environment: JournalEnvironment
    let instance: String
    let link: BrokerLink
    let probe: LivenessProbe
    /// What the receiving thread does at each tick besides telling this actor.
    nonisolated let onTick: TickHook
    nonisolated let pace: HostPace
    private let orders: AsyncStream<HostEvent>
    private let feed: AsyncStream<HostEvent>.Continuation

    var modules: [ModuleID: HostedModule] = [:]
    /// What was refused here and the broker has not noted yet: the process stays that long, or its end overtakes the reason.
    var refusals: [(module: ModuleID, code: String, message: String, since: ContinuousClock.Instant)] = []
    /// Under which epoch each module had its last life here: a broker that was away, or has not heard of its end, may take it for the present one.
    var lastEpochs: [ModuleID: Epoch] = [:]
    /// Modules on their way out.
    var leaving: [ModuleID: Task<Void, Never>] = [:]
    /// Modules that are just being given up.
    var handingOver: [ModuleID: Task<Void, Never>] = [:]
    var isWelcome = false
    var joinStarted: ContinuousClock.Instant?
    var helloSent = ContinuousClock.now
    private var isOrphan = false
    /// Some module was set up in this process.
    var hasServed = false
    /// Why nothing was served, as far as that is known.
    var hindrance = HostEnd.done
    private var turn: Task<Void, Never>?
    /// Turns that have not ended: what they load is not among the modules yet.
    var openTurns = 0
    /// Told of each module that has become ready here, with what it dispatches through. Called on this actor: short.
    let onReady: (@Sendable (ModuleID, Relux.Dispatcher) -> Void)?
    var lastCounters: [ModuleID: ModuleCounters] = [:]
    var lastTroubles: [String] = []
    var lastLost: [ModuleID: LostBook] = [:]
    var lastDiskTroubles: [String] = []
    /// Why the process was asked to end.
    var endWhy = ""
    /// How its descriptors stood when the broker was told last of peers that are turned away for want of them.
    var fence: DescriptorFence?

    /// How long a module that leaves serves what others still need of it.
    static let partingLimit = Duration.seconds(1)
    /// How long a module may finish what it has begun when all processes end at once.
    static let orphanLimit = Duration.seconds(1)
    /// What earlier processes of these modules have left, until they have joined.
    var lastTables: [ModuleID: OpenTableFormat.Contents] = [:]
    /// Only one handler ran in all of them.
    var wasAlone = false
    /// Modules whose suspects have not been run again yet.
    var trials: [ModuleID: Trial] = [:]
    /// How far the journals of modules here have come before, as the broker says.
    var knownLives: [ModuleID: KnownLives] = [:]
    /// Journals of modules in standby, read so far.
    var followers: [ModuleID: LedgerFollower] = [:]
    let born = ContinuousClock.now
    var place: RunDirectoryWatch
    /// Parts of the run directory that cannot be had, as of the last look.
    var placeTroubles: [String] = []
    var held: HeldFiles
    /// The news to be told of the files of modules that live here.
    var fileNews: [ModuleID: String] = [:]
    private static let helloInterval = Duration.milliseconds(100)

    enum HostEvent: Sendable {
        case order(HostOrder)
        case tick
        case joined
        /// A signal asked for the end.
        case end(String)
        /// Nothing is left to do, unless something has come since.
        case empty
        /// The supervisor is gone, and with it every other process.
        case orphaned
    }

    /// - Throws: when the sockets or the cluster's key cannot be had; nothing runs then.
    package init(
        configuration: HostConfiguration, onReady: (@Sendable (ModuleID, Relux.Dispatcher) -> Void)? = nil
    ) throws {
        self.configuration = configuration
        self.onReady = onReady
        place = RunDirectoryWatch(configuration.run, process: configuration.host.rawValue)
        held = HeldFiles(configuration.run)
        sealer = try ClusterKey(configuration.run).open()
        let environment = try JournalEnvironment.live()
        self.environment = environment
        let name = configuration.host
        let journals = ModuleJournals(environment: environment, options: .serving, retention: configuration.journal.retention) { refusal in
            StandardError.write("relux-host \(name): journal of \(refusal.module): \(refusal.description)")
        }
        self.journals = journals
        context = try ZeroMQContext()
        instance = "\(getpid())-\(UInt64.random(in: .min ... .max))"
        let (orders, feed) = AsyncStream.makeStream(of: HostEvent.self)
        (self.orders, self.feed) = (orders, feed)
        let link = BrokerLink()
        self.link = link
        let probe = LivenessProbe(limit: configuration.stallLimit)
        self.probe = probe
        let threads = ThreadWatch(host: configuration.host.rawValue)
        let onTick = TickHook()
        self.onTick = onTick
        let pace = HostPace()
        self.pace = pace
        let identity = Array("\(configuration.host)/\(instance)".utf8)
        let heartbeats = HeartbeatPipe.Writer(path: configuration.run.heartbeats, identity: identity)
        let run = configuration.run
        let host = configuration.host.rawValue
        transport = try ZeroMQTransport(
            context: context, endpoint: run.endpoint(of: host), tapEndpoint: run.tapEndpoint(of: host),
            control: ZeroMQTransport.Control(
                endpoint: run.membersEndpoint, identity: identity,
                interval: { pace.interval },
                onMessage: { message in
                    let order: HostOrder
                    do {
                        guard case .host(let said) = try CBOR.decode(BrokerOutbound.self, from: message) else { return }
                        order = said
                    } catch {
                        return StandardError.write("relux-host: an order of the broker could not be decoded: \(error)")
                    }
                    link.hear()
                    // The heartbeat is answered here, whatever the modules do.
                    if case .ping = order { return probe.answer().forEach(link.send) }
                    pace.stir()
                    feed.yield(.order(order))
                },
                onConnected: { if link.hasSpoken { probe.answer().forEach(link.send) } },
                onTick: {
                    if link.hasSpoken, link.isDue("heartbeat", every: HostPace.heartbeat) {
                        if heartbeats.beat() { link.hear() }
                        probe.news().forEach(link.send)
                    }
                    onTick.run()
                    if link.isUnheard, link.isDue("sign of life", every: .seconds(1)) { probe.answer().forEach(link.send) }
                    if let message = threads.look() { link.send(message) }
                    if !pace.isResting || link.isDue("look", every: pace.seldom) { feed.yield(.tick) }
                }),
            patience: configuration.busPatience, queuedFrameLimit: configuration.queuedFrameLimit)
        let snapshots = SnapshotRouter { module, failure in
            StandardError.write("relux-host \(host): \(module): \(failure.message)")
        }
        self.snapshots = snapshots
        endpoint = BusEndpoint(
            host: configuration.host, transport: transport, sealer: sealer,
            queuedByteLimit: configuration.queuedByteLimit, onJoined: { feed.yield(.joined) },
            onSnapshot: { topic, payload, stale in snapshots.accept(topic, payload, stale: stale) },
            onInterrupted: { module, effects in link.send(.interrupted(module, effects)) }, journal: journals,
            disk: DiskWatch(directory: configuration.run.journals, reserve: configuration.journal.reserve, environment: environment),
            // Nothing more can be accepted; what was is on the disk, and the next process goes on from there.
            onBroken: { _ in
                HostRuntime.noteTaken(journals, in: run)
                HostRuntime.endBroken(run)
            },
            askCourier: { question in link.send(.courier(question)) }, repairs: configuration.repairs)
        exchange = Relux.Exchange(uplink: endpoint)
        link.attach(transport)
        probe.attach(exchange)
        threads.attach(exchange)
        adoptHomeless()
        let news = HostNews()
        onTick.attach { [weak endpoint, weak exchange] in
            guard let endpoint, let exchange else { return }
            endpoint.lookAtDisk()
            if pace.isResting, news.hasCome(exchange, endpoint) { pace.stir() }
        }
    }

    let snapshots: SnapshotRouter

    /// The disk is to blame, and no handler that runs now: nothing may blame one of them when the process is gone.
    static func endBroken(_ run: RunDirectory, _ code: Int32 = ProcessExit.journalBroken) -> Never {
        OpenTable.acquitAll(in: run.journals)
        _exit(code)
    }

    /// Asks for the end: every module drains, then ``run()`` returns. From any thread, any number of times.
    ///
    /// - Parameter why: what `status` says of its modules afterwards; empty where the broker knows that, or nobody does.
    package nonisolated func requestEnd(because why: String = "") { feed.yield(.end(why)) }

    /// The same when the supervisor is gone: all other processes end now, too. What a handler waits for will not come, and what is said will not be
    /// settled before the next life.
    package nonisolated func requestEndAsOrphan() { feed.yield(.orphaned) }

    /// Loads the configured plugins, registers them and works until it is told to end.
    ///
    /// - Parameter linked: modules that are linked into the executable instead of loaded.
    /// - Returns: whether modules were set up, and if not, why.
    package func run(linked: [PluginBox] = []) async throws -> HostEnd {
        // The connection to the broker is made while the plugins are checked and loaded; nothing is said on it before the `hello`.
        try endpoint.start(exchange)
        for box in linked { modules[box.declaration.id] = HostedModule(box: box, imports: []) }
        for directory in configuration.plugins {
            if modules[Self.moduleID(ofPlugin: directory)] == nil { await load(directory, configuration.kinds) } else { verifyLinked(directory) }
        }
        sayHello(resumed: false)
        for await event in orders {
            guard await work(event) else { break }
        }
        // Whom they wait for may come, go and be asked for meanwhile.
        let hearing = Task { for await event in orders { hear(event) } }
        await leaveAll(isOrphan: isOrphan)
        sayTotals()
        hearing.cancel()
        await hearing.value
        endpoint.stop()
        journals.closeAll()
        // What was said last, a refusal for one, leaves the process before it ends.
        context.terminate()
        return hasServed ? .done : hindrance
    }

    /// What counts for modules that are on their way out.
    private func hear(_ event: HostEvent) {
        switch event {
        case .order(.picture(let picture)), .order(.welcome(_, let picture)): endpoint.apply(picture)
        case .order(.courier(let answer)): endpoint.received(answer)
        case .order, .tick, .joined, .end, .empty, .orphaned: break
        }
    }

    /// False when the process has to end.
    private func work(_ event: HostEvent) async -> Bool {
        switch event {
        case .tick: await tick()
        case .joined: proceedJoining()
        case .end(let why):
            endWhy = why
            return false
        case .empty: return !isEmpty
        case .orphaned:
            isOrphan = true
            return false
        case .order(let order): return obey(order)
        }
        return true
    }

    private func obey(_ order: HostOrder) -> Bool {
        // A look that was under way when it came may have found everything at rest.
        pace.stir()
        switch order {
        case .ping: break
        case .courier(let answer): endpoint.received(answer)
        case .introduce:
            // One answer for all that we had said to a broker that did not know us yet.
            if ContinuousClock.now - helloSent > Self.helloInterval { sayHello(resumed: isWelcome) }
        case .welcome(let epochs, let picture):
            isWelcome = true
            // Before any module is made: whoever speaks must know to whom.
            endpoint.apply(picture)
            // An earlier order to proceed was for another epoch.
            for (id, epoch) in epochs where modules[id]?.node == nil && epoch > lastEpochs[id] ?? Epoch(0) && modules[id]?.promised != epoch {
                modules[id]?.mayProceed = false
                // What still tries under an earlier one gives up.
                modules[id]?.ordered = epoch
            }
            inTurn { await $0.welcome(epochs) }
        case .knownLives(let lives): knownLives.merge(lives) { $1 }
        case .refuse(let module, let code, let message): refuse(module, code: code, message: message)
        case .refusalNoted(let module):
            refusals.removeAll { $0.module == module }
            // Behind a load that may be under way.
            inTurn { _ in }
        case .picture(let picture): endpoint.apply(picture)
        case .proceed(let module):
            modules[module]?.mayProceed = true
            if modules[module]?.state.phase == .ready { setState(module, ModuleState(.ready)) }
            openIfDue(module)
        case .drain(let module): inTurn { await $0.leave(module) }
        case .standby(let module): inTurn { await $0.standBy(module) }
        case .handOver(let module, let older): inTurn { await $0.handOver(module, older: older) }
        case .serve(let module, let epoch):
            // A broker that asks meanwhile gives no second one.
            modules[module]?.promised = epoch
            modules[module]?.ordered = epoch
            // Now, and not in its turn: the order to proceed with this epoch may come before that.
            if modules[module]?.epoch != epoch { modules[module]?.mayProceed = false }
            inTurn { await $0.serve(module, epoch) }
        case .load(let directory, let kinds):
            inTurn { runtime in
                await runtime.load(directory, kinds)
                await runtime.sayHello(resumed: true)
            }
        case .resolve(let client, let request, let module, let effect, let resolution):
            let (endpoint, link) = (endpoint, link)
            // A journal that has no room makes it wait; the orders behind it do not.
            Task {
                let isMarked = await endpoint.resolve(effect, of: module, as: resolution)
                link.send(
                    .resolved(client: client, request: request, module: module, effect: effect, isMarked: isMarked))
            }
        case .journalShares(let shares): endpoint.trim(journals.limit(to: shares))
        case .stop: return false
        }
        return true
    }

    /// Does what takes a module's own time (loading, making, draining) one after the other, beside the orders: a slow module
    /// holds up neither the picture nor the end.
    func inTurn(_ body: @escaping @Sendable (HostRuntime) async -> Void) {
        let previous = turn
        openTurns += 1
        turn = Task {
            await previous?.value
            await body(self)
            openTurns -= 1
            endIfEmpty()
        }
    }

    /// A host whose last module has left, or was refused to the broker's knowledge, has nothing more to do.
    ///
    /// Behind the orders that have come meanwhile: one of them may be to load.
    func endIfEmpty() {
        if isEmpty { feed.yield(.empty) }
    }

    private var isEmpty: Bool { isWelcome && modules.isEmpty && refusals.isEmpty && openTurns == 0 }
}
