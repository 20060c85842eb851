package import Relux
import Synchronization

/// One process on the bus: joins the exchange of its modules to the pure core and the core to a transport.
///
/// Design notes. `append` comes under the exchange's lock and only queues. The transport's sending thread pulls: it turns the queue
/// into records and frames, so one batch pays one lock and one wake-up. The receiving thread runs the core and hands
/// deliveries to the exchange. Locks are taken in the order exchange → outbox and core → transport's queue. Connections and
/// subscriptions are told to the transport under the core's lock, because their order matters; all else runs outside it.
/// What must come behind everything that was accepted before (a loss, a leave, a newcomer's share) goes through the same queue.
package final class BusEndpoint: Relux.Uplink, BusTransportClient {
    enum Item: Sendable {
        case appended(Relux.Appended)
        case settled(Relux.Settled)
        /// A delivery that never reached a handler.
        case refused(EffectID, by: ModuleID, Relux.ActionResult)
        case action(BusCore.Action)
        case forget(ModuleID)
        case leave(ModuleID)
        case catchUp(ModuleID)
    }

    package let sealer: (any Relux.SecretSealing)?
    let clock: Relux.NodeClock
    let transport: any BusTransport
    let core: Mutex<BusCore>
    let outbox: Mutex<Outbox>
    let host: HostID
    let exchange = Mutex<Relux.Exchange?>(nil)
    /// Effect types that modules of this process handle, by topic, for decoding.
    let types = Mutex<[Topic: any Relux.Effect.Type]>([:])
    let onJoined: @Sendable () -> Void
    let onSnapshot: @Sendable (_ topic: Topic, _ payload: [UInt8], _ stale: Bool) -> Void
    let onLost: @Sendable (_ recipient: ModuleID, _ effects: [EffectID]) -> Void
    let codingInfo: [CodingUserInfoKey: any Sendable]
    private let wallTime: @Sendable () -> UInt64

    package init(
        host: HostID, transport: any BusTransport, clock: Relux.NodeClock = .continuous,
        sealer: (any Relux.SecretSealing)? = nil, queuedByteLimit: Int = 64 << 20, unsettledByteLimit: Int = 1 << 30,
        makeMarker: @escaping @Sendable () -> [UInt8] = BusEndpoint.randomMarker,
        wallTime: @escaping @Sendable () -> UInt64 = BusEndpoint.wallClock,
        onJoined: @escaping @Sendable () -> Void = {},
        onSnapshot: @escaping @Sendable (Topic, [UInt8], Bool) -> Void = { _, _, _ in },
        onLost: @escaping @Sendable (ModuleID, [EffectID]) -> Void = { _, _ in }
    ) {
        self.transport = transport
        self.clock = clock
        self.sealer = sealer
        self.onJoined = onJoined
        self.onSnapshot = onSnapshot
        self.onLost = onLost
        self.wallTime = wallTime
        codingInfo = sealer.map { [.reluxSealer: $0] } ?? [:]
        core = Mutex(BusCore(host: host, unsettledByteLimit: unsettledByteLimit, makeMarker: makeMarker))
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
        exchange.withLock { $0 = nil }
    }

    package var counters: BusCore.Counters { core.withLock { $0.counters } }
    /// 0 before the first picture.
    package var pictureVersion: UInt64 { core.withLock { $0.picture?.version ?? 0 } }
    package var isJoined: Bool { core.withLock { $0.isJoined } }
    package var isHeard: Bool { core.withLock { $0.isHeard } }
    package var unansweredHosts: [HostID] { core.withLock { $0.unansweredHosts } }

    // MARK: Uplink

    package func append(_ appended: Relux.Appended) {
        enqueue([.appended(appended)], byteCount: appended.payload.count + BusCore.recordOverhead)
    }

    package func lost(_ recipient: ModuleID) { enqueue([.forget(recipient)]) }

    package func settled(_ settled: Relux.Settled) { enqueue([.settled(settled)], byteCount: BusCore.recordOverhead) }

    func enqueue(_ items: [Item], byteCount: Int = 0) {
        if outbox.withLock({ $0.append(items, byteCount: byteCount) }) { transport.wake() }
    }

    // MARK: Transport

    package func received(_ message: [UInt8]) { step { core, now in core.receive(message, now: now) } }

    package func subscribed(_ subscription: [UInt8]) { step { $0.subscribed(subscription, now: $1) } }

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
            let (hadTick, before) = (core.nextTick != nil, core.overloaded)
            let actions = body(&core, now)
            let isRelieved = !before.isEmpty && core.overloaded != before
            return (actions.filter { !route($0) }, !hadTick && core.nextTick != nil, isRelieved ? core.overloaded : nil)
        }
        perform(rest)
        if wakes { transport.wake() }
        if let overloaded { relieve(overloaded) }
    }

    package func pull() -> Outgoing {
        let now = clock.now()
        let (items, admitted) = outbox.withLock { $0.take() }
        for waiter in admitted { waiter.resume() }
        let results = items.map { item -> [UInt8] in
            switch item {
            case .settled(let settled): ResultCoding.encode(settled.result, userInfo: codingInfo)
            case .refused(_, _, let result): ResultCoding.encode(result, userInfo: codingInfo)
            default: []
            }
        }
        let wallTime = items.isEmpty ? 0 : wallTime()
        let (actions, nextTick, overloaded) = core.withLock { core in
            let before = core.overloaded
            var actions: [BusCore.Action] = []
            for (item, result) in zip(items, results) {
                switch item {
                case .appended(let appended): actions += core.append([appended], wallTime: wallTime, now: now)
                case .settled(let settled): actions += core.settled(settled, result: result, now: now)
                case .refused(let effect, let recipient, _):
                    actions += core.settled(
                        effect, by: recipient, status: .refused, duration: .zero, result: result, isLocal: false, now: now)
                case .action(let action): actions.append(action)
                case .forget(let module): core.forget(module)
                case .leave(let module): actions += core.remove(module, now: now)
                case .catchUp(let module): actions += core.catchUp(module)
                }
            }
            actions += core.tick(now: now)
            return (actions.filter { !route($0) }, core.nextTick, core.overloaded == before ? nil : core.overloaded)
        }
        if let overloaded { relieve(overloaded) }
        var packer = FramePacker()
        var local: [BusCore.Action] = []
        packer.pack(Self.conflated(actions), into: &local)
        perform(local)
        var outgoing = packer.finish()
        outgoing.isIdle = items.isEmpty
        outgoing.nextPull = nextTick.map { max(.zero, $0 - now) }
        return outgoing
    }

    /// Of the snapshots of one state only the latest is worth sending.
    private static func conflated(_ actions: [BusCore.Action]) -> [BusCore.Action] {
        var latest: [StreamID: Int] = [:]
        for (index, action) in actions.enumerated() {
            if case .publish(let stream, _, .snapshot, _) = action { latest[stream] = index }
        }
        if latest.isEmpty { return actions }
        return actions.enumerated().compactMap { index, action in
            guard case .publish(let stream, _, .snapshot, _) = action, latest[stream] != index else { return action }
            return nil
        }
    }
}
