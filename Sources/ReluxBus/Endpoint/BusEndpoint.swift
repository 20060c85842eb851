package import Relux
package import ReluxControl
package import ReluxLedger
import ReluxPlugin
import Synchronization

/// One process on the bus: joins the exchange of its modules to the pure ``Endpoint`` and that to a transport.
///
/// Design notes. What modules say comes under the exchange's lock and is only taken in. The transport's sending thread pulls: one turn is
/// one batch, one write for each journal and one wake-up, however much was said. The receiving thread tells what comes in and hands
/// deliveries to the exchange. Locks are taken in the order hearing → exchange, and endpoint → intake and transport's queue. Connections and
/// subscriptions are told to the transport under the endpoint's lock, because their order matters; all else runs outside it. A batch is
/// journaled before its frames are handed out and before its deliveries and settlements in this process are.
package final class BusEndpoint: Relux.Uplink, BusTransportClient {
    let clock: Relux.NodeClock
    let transport: any BusTransport
    let endpoint: Mutex<Endpoint>
    /// Measured on 2026-11-27: under the endpoint's lock, whoever says something waits for turns, and one way takes the sender a tenth more time.
    let intake: Mutex<Intake>
    let host: HostID
    let exchange = Mutex<Relux.Exchange?>(nil)
    /// Effect types that modules of this process handle, by topic, for decoding, and the fingerprints of their contracts.
    let types = Mutex<[Topic: (type: any Relux.Effect.Type, contract: UInt64)]>([:])
    let journal: (any Journaling)?
    let disk: DiskWatch?
    /// Something was queued while the sending thread slept, and nobody has woken it yet.
    private let isAsleep = Atomic(false)
    private let syncer = Mutex<SyncThread?>(nil)
    /// One step decides and delivers what is heard: if two threads heard at once, a stream's later records could come first.
    private let hearing = Mutex(())
    let owner: Owner
    let codingInfo: [CodingUserInfoKey: any Sendable]
    private let wallTime: @Sendable () -> UInt64

    /// The callbacks of an endpoint, on the thread that brings the news and outside of the endpoint's lock. They must not call
    /// `received`, whose lock may be held.
    package struct Owner: Sendable {
        package var joined: @Sendable () -> Void = {}
        package var snapshot: @Sendable (_ topic: Topic, _ payload: [UInt8], _ stale: Bool) -> Void = { _, _, _ in }
        /// A life of the module is over; these effects of this process wait for its next one.
        package var interrupted: @Sendable (_ recipient: ModuleID, _ effects: [EffectID]) -> Void = { _, _ in }
        /// The journal will not take anything any more: the process has to end.
        package var broken: @Sendable (JournalRefusal) -> Void = { _ in }
        package var askCourier: @Sendable (CourierQuestion) -> Void = { _ in }

        package init() {}
    }

    package init(
        host: HostID, transport: any BusTransport, clock: Relux.NodeClock = .continuous,
        sealer: (any Relux.SecretSealing)? = nil, queuedByteLimit: Int = 64 << 20, unsettledByteLimit: Int = 1 << 30,
        makeMarker: @escaping @Sendable () -> [UInt8] = BusEndpoint.randomMarker,
        wallTime: @escaping @Sendable () -> UInt64 = BusEndpoint.wallClock,
        journal: (any Journaling)? = nil, disk: DiskWatch? = nil, repairs: Bool = true, owner: Owner = Owner()
    ) {
        self.owner = owner
        self.journal = journal
        self.disk = disk
        self.transport = transport
        self.clock = clock
        self.wallTime = wallTime
        codingInfo = sealer.map { [.reluxSealer: $0] } ?? [:]
        var core = BusCore(host: host, unsettledByteLimit: unsettledByteLimit, makeMarker: makeMarker)
        core.inbound.repairs = repairs
        endpoint = Mutex(Endpoint(core))
        intake = Mutex(Intake(byteLimit: queuedByteLimit))
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

    package var counters: BusCounters { endpoint.withLock { $0.core.counters } }
    /// 0 before the first picture.
    package var pictureVersion: UInt64 { endpoint.withLock { $0.core.membership.picture?.version ?? 0 } }
    /// Every host that the modules here must hear has answered.
    package var isJoined: Bool { endpoint.withLock { $0.core.isJoined } }
    package var isHeard: Bool { endpoint.withLock { $0.core.isHeard } }
    package var unansweredHosts: [HostID] { endpoint.withLock { $0.core.unansweredHosts } }

    // MARK: Steps

    /// A step of the endpoint, with what has to be done under its lock and at once behind it.
    func step<Result>(_ body: (inout Endpoint) -> Result) -> Result {
        var admitted: [UnsafeContinuation<Void, Never>] = []
        let result = endpoint.withLock { endpoint in
            let before = endpoint.core.overloaded
            let result = body(&endpoint)
            if endpoint.hasRoutes { endpoint.takeRoutes().forEach(route) }
            let overloaded = endpoint.core.overloaded
            if overloaded != before { admitted = intake.withLock { $0.setOverloaded(overloaded) } }
            return result
        }
        for waiter in admitted { waiter.resume() }
        return result
    }

    /// Tells the endpoint an event that goes into the journals before it has an effect. The event comes behind all that was said before.
    ///
    /// - Parameter isQuick: it needs no disk, and not much time.
    func tell(isQuick: Bool = false, _ event: (inout BusCore, inout Batch, Duration) -> Void) {
        let now = clock.now()
        let wakes = step { endpoint in
            endpoint.take(intake.withLock { $0.takeSaid() }, now: now, readWallTime: wallTime)
            endpoint.on { event(&$0, &$1, now) }
            // Before anybody else can take it.
            return intake.withLock { $0.note(isQuick: isQuick) }
        }
        if wakes { transport.wake() }
    }

    /// Tells the endpoint an event that is not written first. A tick that became due sooner than the sending thread knows wakes it.
    func hear(_ event: (inout BusCore, Duration) -> [BusCore.Action]) {
        let now = clock.now()
        let (actions, isSaid, isSooner) = step { $0.hear { event(&$0, now) } }
        perform(actions)
        let wakes = isSaid && intake.withLock { $0.note() }
        if wakes || isSooner { transport.wake() }
    }

    // MARK: Uplink

    package var sealer: (any Relux.SecretSealing)? { codingInfo[.reluxSealer] as? any Relux.SecretSealing }

    package func append(_ emission: Relux.Emission) {
        if intake.withLock({ $0.say(emission) }) { isAsleep.store(true, ordering: .releasing) }
    }

    package func coded(_ result: Relux.ActionResult) -> [UInt8]? { ResultCoding.encode(result, userInfo: codingInfo) }

    package func settled(_ settled: Relux.Settled) {
        if intake.withLock({ $0.settle(settled) }) { isAsleep.store(true, ordering: .releasing) }
    }

    package func settled(_ batch: [Relux.Settled], capturing states: [Relux.CapturedState], of module: ModuleID, life: UInt64) {
        let settlements = Intake.Settlements(module: module, life: life, batch: [Settling](batch), states: states)
        if intake.withLock({ $0.settle(settlements) }) { isAsleep.store(true, ordering: .releasing) }
    }

    package func go(last: Bool) {
        guard isAsleep.exchange(false, ordering: .acquiringAndReleasing) else { return }
        if last { transport.wakeInline() } else { transport.wake() }
    }

    package func keep(_ value: Relux.KeptValue, of module: ModuleID) async -> Bool {
        let record = KeptRecord(cause: value.cause, valueName: value.name, value: value.bytes[...])
        return await note(.kept(record), on: KeptRecord.topic, of: module, life: value.life, byteCount: value.bytes.count)
    }

    package func note(_ place: Relux.SchedulePlace, of module: ModuleID, life: UInt64, waiter: UnsafeContinuation<Bool, Never>?) {
        let note = Intake.Note.record(.schedule(ScheduleRecord(place)), on: ScheduleRecord.topic, of: module, life: life, waiter)
        if intake.withLock({ $0.note(note, byteCount: BusCore.recordOverhead) }) { transport.wake() }
    }

    package func secure(_ module: ModuleID) async {
        await withUnsafeContinuation { waiter in
            tell { core, batch, now in
                core.press(module, now: now)
                batch.secured.append(.init(module: module, waiter: waiter))
            }
        }
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
        let note = Intake.Note.record(.dead(record), on: DeadRecord.topic, of: module, life: 0, nil)
        if intake.withLock({ $0.note(note, byteCount: letter.payload.count) }) { transport.wake() }
    }

    package func refused(_ refused: Relux.RefusedDispatch, standingFor count: UInt64, isShown: Bool) {
        // While nothing is worked off it is counted and in the log, and not kept here.
        guard count > 0 || isShown, intake.withLock({ !$0.isFull }) else { return }
        let note = Intake.Note.refused(refused, count: count, isShown: isShown, wallTime: wallTime())
        if intake.withLock({ $0.note(note, byteCount: BusCore.recordOverhead) }) { isAsleep.store(true, ordering: .releasing) }
    }

    /// The answer to an effect that a module of this process had said for the ingress; nil while the effect is not settled.
    package func answer(to effect: EffectID) -> Relux.ActionResult? {
        endpoint.withLock { $0.core.locals[effect.module]?.ledger.answer(to: effect.position, userInfo: codingInfo) }
    }

    /// Marks a dead letter of a module of this process.
    ///
    /// - Returns: true when its journal says so; false when it has no such letter, or one that is not open any more.
    package func resolve(_ effect: EffectID, of module: ModuleID, as resolution: DeadRecord.Resolution) async -> Bool {
        guard var record = endpoint.withLock({ $0.core.locals[module]?.ledger.dead[effect] }), record.resolution == .open else {
            return false
        }
        record.resolution = resolution
        return await note(.dead(record), on: DeadRecord.topic, of: module, byteCount: record.payload.count)
    }

    private func note(
        _ record: WireRecord, on topic: Topic, of module: ModuleID, life: UInt64 = 0, byteCount: Int
    ) async -> Bool {
        await withUnsafeContinuation { waiter in
            if intake.withLock({ $0.note(.record(record, on: topic, of: module, life: life, waiter), byteCount: byteCount) }) { transport.wake() }
        }
    }

    /// Those journals may keep less from now on than they have: what nobody needs of them goes.
    package func trim(_ modules: [ModuleID]) { tell { _, batch, _ in batch.trims.formUnion(modules) } }

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

    package func received(_ message: [UInt8]) { hearing.withLock { _ in hear { $0.receive(message, now: $1) } } }

    /// The courier has answered what `askCourier` was called with.
    package func received(_ answer: CourierAnswer) { hearing.withLock { _ in hear { $0.receive(answer, now: $1) } } }

    package func subscribed(_ subscription: [UInt8]) { hear { $0.subscribed(subscription, now: $1) } }

    package func cutSubscriber() {
        hear { core, _ in
            core.counters.subscribersCut += 1
            return []
        }
    }

    package func droppedForSlowSubscriber() {
        hear { core, now in
            core.droppedForSlowSubscriber(now: now)
            return []
        }
    }

    /// Pulls only if no disk has to be waited for: whoever has said something does not wait for it. The end of a journal waits for the disk too.
    package func pullInline() -> Outgoing? { journal?.isQuick ?? true ? pull(isInline: true) : nil }

    package func pull() -> Outgoing { pull(isInline: false) ?? Outgoing() }

    /// nil when an inline turn might have to wait.
    private func pull(isInline: Bool) -> Outgoing? {
        let now = clock.now()
        var admitted: [UnsafeContinuation<Void, Never>] = []
        let turn: (batch: Batch?, nextTick: Duration?)? = step { endpoint in
            if isInline, !endpoint.mayTurnQuickly { return nil }
            let taken: (contents: Intake.Contents, admitted: [UnsafeContinuation<Void, Never>])? = intake.withLock { intake in
                isInline && !intake.isQuick || endpoint.isStalled ? nil : intake.take()
            }
            if taken == nil, isInline { return nil }
            if let taken { endpoint.take(taken.contents, now: now, readWallTime: wallTime) }
            admitted = taken?.admitted ?? []
            return (endpoint.turn(isIdle: taken?.contents.hasNews != true, now: now, journal: journal), endpoint.core.nextTick)
        }
        for waiter in admitted { waiter.resume() }
        guard let turn else { return nil }
        if let batch = turn.batch { return finish(batch) }
        var outgoing = Outgoing()
        outgoing.nextPull = turn.nextTick.map { max(.zero, $0 - now) }
        return outgoing
    }
}
