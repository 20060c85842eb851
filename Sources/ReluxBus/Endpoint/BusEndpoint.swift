package import Relux
import ReluxPlugin
import Synchronization

/// One process on the bus: joins the exchange of its modules to the pure core and the core to a transport.
///
/// Design notes. `append` comes under the exchange's lock and only queues. The transport's sending thread pulls: it turns the queue
/// into records and frames, so one batch pays one lock and one wake-up. The receiving thread runs the core and hands
/// deliveries to the exchange. Locks are taken in the order hearing → exchange → outbox and core → transport's queue. Connections and
/// subscriptions are told to the transport under the core's lock, because their order matters; all else runs outside it.
/// What must come behind everything that was accepted before (a picture, a join, a leave) goes through the same queue. A batch is
/// journaled before its frames are handed out and before its deliveries and settlements in this process are.
package final class BusEndpoint: Relux.Uplink, BusTransportClient {
    enum Item: Sendable {
        // Large ones are one reference.
        case emission(Relux.Emission)
        /// Settlements of one module, with the states that changed for them.
        indirect case settled([Settling], capturing: [Relux.CapturedState], of: ModuleID, life: UInt64)
        /// A delivery that never reached a handler.
        indirect case refused(Settling)
        /// Dispatches that were not accepted: `count` of them go into the journal, 0 for none; one is shown to taps, or none.
        indirect case unaccepted(Relux.RefusedDispatch, count: UInt64, isShown: Bool)
        /// A record of the module's journal alone; the continuation is resumed when it is there.
        indirect case note(WireRecord, on: Topic, of: ModuleID, life: UInt64, UnsafeContinuation<Bool, Never>?)
        indirect case action(BusCore.Action)
        /// Resumed when all that the module has said survives the loss of power.
        case secure(ModuleID, UnsafeContinuation<Void, Never>)
        indirect case join(ModuleDeclaration, Epoch, Ledger?, life: UInt64, isHeld: Bool, contracts: [Topic: UInt64])
        case open(ModuleID)
        indirect case standBy(ModuleDeclaration)
        case standDown(ModuleID)
        indirect case handOver(ModuleDeclaration)
        case leave(ModuleID)
        case close(ModuleID)
        indirect case picture(ClusterPicture)
        /// The module's journal may keep less than it has.
        case trim(ModuleID)
    }

    package let sealer: (any Relux.SecretSealing)?
    let clock: Relux.NodeClock
    let transport: any BusTransport
    let core: Mutex<BusCore>
    let outbox: Mutex<Outbox>
    let host: HostID
    let exchange = Mutex<Relux.Exchange?>(nil)
    /// Effect types that modules of this process handle, by topic, for decoding, and the fingerprints of their contracts.
    let types = Mutex<[Topic: (type: any Relux.Effect.Type, contract: UInt64)]>([:])
    let journal: (any Journaling)?
    let disk: DiskWatch?
    let lastPicture = Mutex<UInt64>(0)
    /// Continuations that wait until a module's journal is closed.
    let leavers = Mutex<[ModuleID: UnsafeContinuation<Void, Never>]>([:])
    /// Something was queued while the sending thread slept, and nobody has woken it yet.
    private let isAsleep = Atomic(false)
    /// Some module here is not through with something that has to survive the loss of power.
    private let owesMachine = Atomic(false)
    /// Modules that have been told to join, and are not known to the core yet.
    let joining = Atomic(0)
    /// A batch that the journal had no room for; nothing goes before it.
    let stalled = Mutex<Batch?>(nil)
    /// Why it waits, for people.
    let trouble = Mutex<String?>(nil)
    /// What waits for a disk, and what has waited long enough.
    let withheld = Mutex(Withheld())
    private let syncer = Mutex<SyncThread?>(nil)
    /// One step decides and delivers what is heard: if two threads heard at once, a stream's later records could come first.
    private let hearing = Mutex(())
    let onJoined: @Sendable () -> Void
    let onSnapshot: @Sendable (_ topic: Topic, _ payload: [UInt8], _ stale: Bool) -> Void
    /// A life of the module is over; these effects of this process wait for its next one.
    let onInterrupted: @Sendable (_ recipient: ModuleID, _ effects: [EffectID]) -> Void
    /// The journal will not take anything any more: the process has to end.
    let onBroken: @Sendable (JournalRefusal) -> Void
    let askCourier: @Sendable (CourierQuestion) -> Void
    let codingInfo: [CodingUserInfoKey: any Sendable]
    private let wallTime: @Sendable () -> UInt64

    package init(
        host: HostID, transport: any BusTransport, clock: Relux.NodeClock = .continuous,
        sealer: (any Relux.SecretSealing)? = nil, queuedByteLimit: Int = 64 << 20, unsettledByteLimit: Int = 1 << 30,
        makeMarker: @escaping @Sendable () -> [UInt8] = BusEndpoint.randomMarker,
        wallTime: @escaping @Sendable () -> UInt64 = BusEndpoint.wallClock,
        onJoined: @escaping @Sendable () -> Void = {},
        onSnapshot: @escaping @Sendable (Topic, [UInt8], Bool) -> Void = { _, _, _ in },
        onInterrupted: @escaping @Sendable (ModuleID, [EffectID]) -> Void = { _, _ in }, journal: (any Journaling)? = nil, disk: DiskWatch? = nil,
        onBroken: @escaping @Sendable (JournalRefusal) -> Void = { _ in },
        askCourier: @escaping @Sendable (CourierQuestion) -> Void = { _ in }, repairs: Bool = true
    ) {
        self.askCourier = askCourier
        self.journal = journal
        self.disk = disk
        self.onInterrupted = onInterrupted
        self.onBroken = onBroken
        self.transport = transport
        self.clock = clock
        self.sealer = sealer
        self.onJoined = onJoined
        self.onSnapshot = onSnapshot
        self.wallTime = wallTime
        codingInfo = sealer.map { [.reluxSealer: $0] } ?? [:]
        var core = BusCore(host: host, unsettledByteLimit: unsettledByteLimit, makeMarker: makeMarker)
        core.repairs = repairs
        self.core = Mutex(core)
        outbox = Mutex(Outbox(byteLimit: queuedByteLimit))
        self.host = host
    }

    /// Gives the endpoint the exchange that it serves, and starts the transport.
    package func start(_ exchange: Relux.Exchange) throws {
        self.exchange.withLock { $0 = exchange }
        try transport.start(serving: self)
    }

    package func stop() {
        transport.stop()
        syncer.withLock { $0 }?.stop()
        exchange.withLock { $0 = nil }
    }

    package var counters: BusCore.Counters { core.withLock { $0.counters } }
    /// 0 before the first picture.
    package var pictureVersion: UInt64 { core.withLock { $0.picture?.version ?? 0 } }
    /// Every host that the modules here must hear has answered, those included that have just been told to join.
    package var isJoined: Bool { core.withLock { joining.load(ordering: .acquiring) == 0 && $0.isJoined } }
    package var isHeard: Bool { core.withLock { $0.isHeard } }
    package var unansweredHosts: [HostID] { core.withLock { $0.unansweredHosts } }

    // MARK: Uplink

    package func append(_ emission: Relux.Emission) {
        queue(.emission(emission), byteCount: emission.payload.count + BusCore.recordOverhead)
    }

    package func settled(_ settled: Relux.Settled) {
        if outbox.withLock({ $0.append(settled, byteCount: BusCore.recordOverhead) }) { isAsleep.store(true, ordering: .releasing) }
    }

    package func settled(_ batch: [Relux.Settled], capturing states: [Relux.CapturedState], of module: ModuleID, life: UInt64) {
        let byteCount = states.reduce(batch.count * BusCore.recordOverhead) { $0 + $1.bytes.count }
        queue(.settled([Settling](batch), capturing: states, of: module, life: life), byteCount: byteCount)
    }

    package func go(last: Bool) {
        guard isAsleep.exchange(false, ordering: .acquiringAndReleasing) else { return }
        if last { transport.wakeInline() } else { transport.wake() }
    }

    package func keep(_ value: Relux.KeptValue, of module: ModuleID) async -> Bool {
        let record = KeptRecord(cause: value.cause, valueName: value.name, value: value.bytes[...])
        return await note(.kept(record), on: KeptRecord.topic, of: module, life: value.life, byteCount: value.bytes.count)
    }

    package func secure(_ module: ModuleID) async {
        await withUnsafeContinuation { enqueue([.secure(module, $0)]) }
    }

    package func attempting(_ effect: EffectID, of module: ModuleID, deaths: Int, wasAlone: Bool) async {
        let record = AttemptRecord(effect: effect, deaths: UInt64(max(0, deaths)), wasAlone: wasAlone)
        _ = await note(.attempt(record), on: AttemptRecord.topic, of: module, byteCount: 0)
    }

    package func deadLetter(_ letter: Relux.DeadLetter, of module: ModuleID) {
        let (deaths, reason) =
            switch letter.cause {
            case .deaths(let count): (count, "its handler has ended the process \(count) times, the last time while it ran alone")
            case .undecodable(let why): (0, why)
            }
        let record = DeadRecord(
            effect: letter.effect, topic: letter.topic, caseName: CBOR.caseName(of: letter.payload) ?? "",
            deaths: UInt64(max(0, deaths)), wallTimeMilliseconds: wallTime(),
            reason: reason.cut(to: DeadRecord.reasonByteLimit), payload: letter.payload[...],
            contractFingerprint: letter.contract)
        enqueue([.note(.dead(record), on: DeadRecord.topic, of: module, life: 0, nil)], byteCount: letter.payload.count)
    }

    package func refused(_ refused: Relux.RefusedDispatch, standingFor count: UInt64, isShown: Bool) {
        // While nothing is worked off it is counted and in the log, and not kept here.
        guard count > 0 || isShown, outbox.withLock({ !$0.isFull }) else { return }
        queue(.unaccepted(refused, count: count, isShown: isShown), byteCount: BusCore.recordOverhead)
    }

    /// What was answered to an effect that a module of this process had said for the ingress; nil while it is not settled.
    package func answer(to effect: EffectID) -> Relux.ActionResult? {
        core.withLock { $0.locals[effect.module]?.ledger.answer(to: effect.position, userInfo: codingInfo) }
    }

    /// Marks a dead letter of a module of this process.
    ///
    /// - Returns: true when its journal says so; false when it has no such letter, or one that is not open any more.
    package func resolve(_ effect: EffectID, of module: ModuleID, as resolution: DeadRecord.Resolution) async -> Bool {
        guard var record = core.withLock({ $0.locals[module]?.ledger.dead[effect] }), record.resolution == .open else {
            return false
        }
        record.resolution = resolution
        return await note(.dead(record), on: DeadRecord.topic, of: module, byteCount: record.payload.count)
    }

    private func note(
        _ record: WireRecord, on topic: Topic, of module: ModuleID, life: UInt64 = 0, byteCount: Int
    ) async -> Bool {
        await withUnsafeContinuation { enqueue([.note(record, on: topic, of: module, life: life, $0)], byteCount: byteCount) }
    }

    /// Leaves it to ``go(last:)`` to wake the sending thread.
    private func queue(_ item: Item, byteCount: Int) {
        if outbox.withLock({ $0.append(item, byteCount: byteCount) }) { isAsleep.store(true, ordering: .releasing) }
    }

    func enqueue(_ items: [Item], byteCount: Int = 0) {
        if outbox.withLock({ $0.append(items, byteCount: byteCount) }) { transport.wake() }
    }

    /// Those journals may keep less from now on than they have: what nobody needs of them goes.
    package func trim(_ modules: [ModuleID]) { enqueue(modules.map { .trim($0) }) }

    /// Made when it is needed first.
    var syncs: SyncThread {
        syncer.withLock { syncer in
            if let syncer { return syncer }
            let made = SyncThread { [weak self] module in self?.sync(module) }
            syncer = made
            return made
        }
    }

    // MARK: Transport

    package func received(_ message: [UInt8]) { hearing.withLock { _ in step { core, now in core.receive(message, now: now) } } }

    /// The courier has answered what `askCourier` was called with.
    package func received(_ answer: CourierAnswer) { hearing.withLock { _ in step { core, now in core.receive(answer, now: now) } } }

    package func subscribed(_ subscription: [UInt8]) { step { $0.subscribed(subscription, now: $1) } }

    package func cutSubscriber() {
        step { core, _ in
            core.counters.subscribersCut += 1
            return []
        }
    }

    package func droppedForSlowSubscriber() {
        step { core, now in
            core.droppedForSlowSubscriber(now: now)
            return []
        }
    }

    /// One step of the core. A tick that became due sooner than the sending thread knows wakes it.
    func step(_ body: (inout BusCore, Duration) -> [BusCore.Action]) {
        let now = clock.now()
        let (rest, wakes, overloaded) = core.withLock { core in
            let (lastTick, before) = (core.nextTick, core.overloaded)
            var actions = body(&core, now)
            actions.removeAll(where: route)
            let isRelieved = !before.isEmpty && core.overloaded != before
            let isSooner = core.nextTick.map { next in lastTick.map { next < $0 } ?? true } ?? false
            return (actions, isSooner, isRelieved ? core.overloaded : nil)
        }
        perform(rest)
        if wakes { transport.wake() }
        if let overloaded { relieve(overloaded) }
    }

    /// What has to be on the disk may be waited for: not by whoever has said it. The end of a journal waits for the disk too.
    package func pullInline() -> Outgoing? {
        guard !owesMachine.load(ordering: .relaxed), stalled.withLock({ $0 == nil }), leavers.withLock({ $0.isEmpty }),
            journal?.isQuick ?? true, let taken = outbox.withLock({ $0.takeQuickly() })
        else { return nil }
        return pull(taken)
    }

    package func pull() -> Outgoing {
        if let batch = stalled.withLock({ $0.take() }) { return finish(batch) }
        return pull(outbox.withLock { $0.take() })
    }

    private func pull(_ taken: Outbox.Taken) -> Outgoing {
        let now = clock.now()
        var items = taken.items
        for waiter in taken.admitted { waiter.resume() }
        if items.isEmpty, let rest = rest(now) { return rest }
        for index in items.indices { prepare(&items[index]) }
        let wallTime = items.isEmpty ? 0 : wallTime()
        var batch = Batch()
        batch.isIdle = items.isEmpty
        let overloaded = core.withLock { core in
            let before = core.overloaded
            for item in items { apply(item, to: &core, wallTime: wallTime, now: now, &batch) }
            batch.actions += core.tick(now: now)
            batch.actions.removeAll(where: route)
            batch.draft = core.takeDraft()
            batch.pressing = core.takePressing()
            batch.nextPull = core.nextTick.map { max(.zero, $0 - now) }
            if let journal {
                for case .trim(let module) in items { batch.trims.insert(module) }
                for case .expectHandOver(let module) in batch.actions { batch.expected.insert(module) }
                for module in batch.trims.union(batch.expected) { batch.ledgers[module] = core.locals[module]?.ledger }
                if !journal.isQuick {
                    for module in batch.speakers where journal.wantsLedger(of: module) { batch.ledgers[module] = core.locals[module]?.ledger }
                    if items.isEmpty { checkpoint(&batch, core, journal) }
                }
            }
            owesMachine.store(!core.machine.isEmpty, ordering: .relaxed)
            return core.overloaded == before ? nil : core.overloaded
        }
        for case .secure(let module, let continuation) in items { batch.secured.append((module, continuation)) }
        if let overloaded { relieve(overloaded) }
        return finish(batch)
    }

    /// Nothing was taken, nothing is due, and nothing waits for anything: what every second pull finds.
    private func rest(_ now: Duration) -> Outgoing? {
        guard withheld.withLock({ $0.isEmpty }), journal?.isQuick ?? true else { return nil }
        let (isAtRest, nextTick) = core.withLock { core in
            let nextTick = core.nextTick
            return (!core.hasUnwritten && core.pressing.isEmpty && nextTick.map { $0 > now } ?? true, nextTick)
        }
        guard isAtRest else { return nil }
        var outgoing = Outgoing()
        outgoing.nextPull = nextTick.map { $0 - now }
        return outgoing
    }

    /// A checkpoint that is due is written while nobody waits for anything, and not with the next thing that is said. A module that is
    /// held is about to take over: that is waited for.
    private func checkpoint(_ batch: inout Batch, _ core: BusCore, _ journal: any Journaling) {
        let spoken = batch.speakers
        for (module, local) in core.locals where !spoken.contains(module) && !core.isHeld(module) && journal.wantsLedger(of: module) {
            batch.trims.insert(module)
            batch.ledgers[module] = local.ledger
        }
    }

    /// Keeps only the latest snapshot of each state: the one with the highest version. A snapshot that is said again for a
    /// newcomer may have been queued behind a newer one, by another thread.
    static func conflated(_ actions: [BusCore.Action]) -> [BusCore.Action] {
        // Nearly always there is none; a look that binds nothing retains nothing.
        let hasSnapshots = actions.contains { if case .publish(_, _, .snapshot, _) = $0 { true } else { false } }
        guard hasSnapshots else { return actions }
        var latest: [StreamID: (version: UInt64, index: Int)] = [:]
        for (index, action) in actions.enumerated() {
            guard case .publish(let stream, _, .snapshot(let record), _) = action else { continue }
            if let known = latest[stream], known.version > record.version { continue }
            latest[stream] = (record.version, index)
        }
        return actions.enumerated().compactMap { index, action in
            guard case .publish(let stream, _, .snapshot, _) = action, latest[stream]?.index != index else { return action }
            return nil
        }
    }
}
