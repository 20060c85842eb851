import Glibc
package import Relux
import ReluxBus
import ReluxControl
import ReluxJournal
import ReluxLedger
import ReluxLoader
package import ReluxPlugin
package import ReluxWire
import ReluxZeroMQ
import Synchronization

/// Runs modules in this process on behalf of the broker: loads, joins, opens, drains and leaves as it is told.
///
/// Design notes. ``HostMachine`` decides; this actor performs. Orders come in on the bus's In thread and are taken in here one after the other. What
/// takes a module's own time runs in a task of its own and answers with an event, so that no module delays an order, a heartbeat or a settlement.
package actor HostRuntime {
    nonisolated let configuration: HostConfiguration
    let transport: ZeroMQTransport
    nonisolated let endpoint: BusEndpoint
    let exchange: Relux.Exchange
    let loader = ImageLoader()
    let snapshots: SnapshotRouter
    let link: BrokerLink
    let probe: LivenessProbe
    /// The work of the receiving thread at each tick besides telling this actor.
    nonisolated let onTick: TickHook
    nonisolated let pace: HostPace
    private let events = AsyncStream.makeStream(of: HostMachine.Event.self)
    nonisolated var feed: AsyncStream<HostMachine.Event>.Continuation { events.continuation }

    var machine: HostMachine
    /// The boxes that the modules of this process are made from.
    var boxes: [ModuleID: HostedBox] = [:]
    /// Modules that are set up.
    var served: [ModuleID: ServedModule] = [:]
    /// Told of each module that has become ready here, with what it dispatches through. Called on this actor: short.
    let onReady: (@Sendable (ModuleID, Relux.Dispatcher) -> Void)?
    var told = Told()
    var openings: Openings
    var place: HostPlace
    let born = ContinuousClock.now
    /// Ends what handlers wait for when all processes end at once.
    private var orphanPatience: Task<Void, any Error>?

    /// - Throws: when the sockets or the cluster's key cannot be had; nothing runs then.
    package init(
        configuration: HostConfiguration, onReady: (@Sendable (ModuleID, Relux.Dispatcher) -> Void)? = nil
    ) throws {
        self.configuration = configuration
        self.onReady = onReady
        place = HostPlace(configuration.run, process: configuration.host.rawValue)
        let sealer = try ClusterKey(configuration.run).open()
        let environment = try JournalEnvironment.live()
        let name = configuration.host
        let journals = ModuleJournals(environment: environment, options: .serving, retention: configuration.journal.retention) { refusal in
            StandardError.write("relux-host \(name): journal of \(refusal.module): \(refusal.description)")
        }
        openings = Openings(run: configuration.run, journals: journals, environment: environment, sealer: sealer)
        let instance = "\(getpid())-\(UInt64.random(in: .min ... .max))"
        let feed = events.continuation
        var settings = HostMachine.Settings()
        (settings.hearingPatience, settings.refusalLimit) = (configuration.hearingPatience, configuration.refusalLimit)
        settings.cleanUpLimit = configuration.drainLimit
        machine = HostMachine(
            HostMachine.Identity(
                host: configuration.host, pid: getpid(), start: StartNumber.ofThisProcess(as: configuration.host), instance: instance,
                endpoint: configuration.run.endpoint(of: configuration.host.rawValue),
                tapEndpoint: configuration.run.tapEndpoint(of: configuration.host.rawValue)),
            settings: settings)
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
            context: try ZeroMQContext(), endpoint: run.endpoint(of: host), tapEndpoint: run.tapEndpoint(of: host),
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
        var owner = BusEndpoint.Owner()
        owner.joined = { feed.yield(.heard) }
        owner.snapshot = { topic, payload, stale in snapshots.accept(topic, payload, stale: stale) }
        owner.interrupted = { module, effects in link.send(.interrupted(module, effects)) }
        // Nothing more can be accepted; what was is on the disk, and the next process goes on from there.
        owner.broken = { _ in
            HostRuntime.noteTaken(journals, in: run)
            HostRuntime.endBroken(run)
        }
        owner.askCourier = { question in link.send(.courier(question)) }
        endpoint = BusEndpoint(
            host: configuration.host, transport: transport, sealer: sealer,
            queuedByteLimit: configuration.queuedByteLimit, journal: journals,
            disk: DiskWatch(directory: configuration.run.journals, reserve: configuration.journal.reserve, environment: environment),
            repairs: configuration.repairs, owner: owner)
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

    /// The disk is to blame, and no handler that runs now: nothing may blame one of them when the process is gone.
    static func endBroken(_ run: RunDirectory, _ code: Int32 = ProcessExit.journalBroken) -> Never {
        OpenTable.acquitAll(in: run.journals)
        _exit(code)
    }

    /// Asks for the end: every module drains, then ``run()`` returns. From any thread, any number of times.
    ///
    /// - Parameter why: what `status` says of its modules afterwards; empty where the broker knows that, or nobody does.
    package nonisolated func requestEnd(because why: String = "") { feed.yield(.end(why: why)) }

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
        var images: [HostedImage] = []
        for box in linked {
            boxes[box.declaration.id] = HostedBox(box: box)
            images.append(image(ofLinked: box))
        }
        let plugins = configuration.plugins.filter { boxes[HostedImage.moduleID(ofPlugin: $0)] == nil }
        feed.yield(.begin(linked: images, plugins: plugins, configuration.kinds))
        var end = HostEnd.done
        for await event in events.stream {
            guard let how = take(event) else { continue }
            end = how
            break
        }
        orphanPatience?.cancel()
        sayTotals()
        endpoint.stop()
        openings.journals.closeAll()
        // The last words, a refusal for one, leave the process before it ends.
        transport.context.terminate()
        return end
    }

    /// Returns how the process ends, when it does.
    func take(_ event: HostMachine.Event) -> HostEnd? {
        if case .order(let order) = event {
            // A look that was under way when it came may have found everything at rest.
            pace.stir()
            obey(order)
        }
        var end: HostEnd?
        for action in machine.on(event, now: .now - born, bus: busStatus) {
            if case .exit(let how) = action { end = how } else { perform(action) }
        }
        if case .tick = event, !machine.isEnding { look() }
        return end
    }

    /// Passes on the part of an order that is for the bus and the journals, before a module is made: it must know to whom it speaks.
    private func obey(_ order: HostOrder) {
        switch order {
        case .picture(let picture), .welcome(_, let picture): endpoint.apply(picture)
        case .courier(let answer): endpoint.received(answer)
        case .knownLives(let lives): openings.learn(lives)
        case .journalShares(let shares): endpoint.trim(openings.journals.limit(to: shares))
        case .resolve(let client, let request, let module, let effect, let resolution):
            let (endpoint, link) = (endpoint, link)
            // A journal that has no room makes it wait; the orders behind it do not.
            Task {
                let isMarked = await endpoint.resolve(effect, of: module, as: resolution)
                link.send(.resolved(client: client, request: request, module: module, effect: effect, isMarked: isMarked))
            }
        case .schedule(let client, let request, let module, let order): self.order(order, of: module, client, request)
        case .ping, .introduce, .refuse, .refusalNoted, .proceed, .drain, .standby, .handOver, .serve, .load, .stop: break
        }
    }

    private var busStatus: BusStatus {
        let isJoined = endpoint.isJoined
        return BusStatus(
            isJoined: isJoined, isHeard: endpoint.isHeard, unanswered: isJoined ? [] : endpoint.unansweredHosts,
            suspects: Set(machine.onTrial.filter { exchange.hasSuspects($0) }), pictureVersion: endpoint.pictureVersion)
    }

    private func perform(_ action: HostMachine.Action) {
        switch action {
        case .send(let message): send(message)
        case .log(let line): log(line)
        // The end of a task and the machine's knowledge of it are one step of this actor: no order comes between.
        case .load(let directory, let kinds): Task { _ = take(.loaded(directory: directory, await load(directory, kinds))) }
        case .readTables(let ids, let areTogether): openings.readTables(of: ids.filter { served[$0] == nil }, areTogether: areTogether).forEach(log)
        case .setUp(let id, let attempt): Task { _ = take(.setUp(id, await outcome(of: id, attempt))) }
        case .standBy(let id):
            if let box = boxes[id]?.box { endpoint.standBy(box.declaration) }
            openings.follow(id)
        case .standDown(let id):
            endpoint.standDown(id)
            openings.stopFollowing(id)
        case .open(let id):
            endpoint.open(id)
            served[id]?.node.openModule()
        case .opened(let id):
            guard let node = served[id]?.node else { return }
            node.startSchedules()
            onReady?(id, node.dispatcher(for: id))
        case .handOver(let id, let older): Task { await handOver(id, older: older) }
        case .leave(let id, let kind): Task { await leave(id, kind) }
        case .release(let id): release(id)
        case .sayStored(let id): sayStored(id)
        case .sayBarrier(let id): sayBarrier(of: id)
        case .sayTotals: sayTotals()
        case .lookAgain: feed.yield(.empty)
        case .beginEnd(let isOrphan): beginEnd(isOrphan)
        case .exit: break
        }
    }

    private func beginEnd(_ isOrphan: Bool) {
        // Before the first one leaves: they may still ask each other.
        exchange.end()
        guard isOrphan else { return }
        let end = ContinuousClock.now + Self.orphanLimit
        orphanPatience = Task {
            try await Task.sleep(until: end, clock: .continuous)
            // A hand-over or a removal that is under way has a longer limit of its own.
            for id in machine.modules.keys { exchange.stopWaiting(for: id) }
        }
    }

    private func release(_ id: ModuleID) {
        boxes[id] = nil
        openings.forget(id)
        // Its set-up may be under way: no life has begun, so none is sealed.
        openings.journals.abandon(id)
        loader.release(id)
    }
}
