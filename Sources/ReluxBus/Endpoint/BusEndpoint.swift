package import Relux
import Synchronization

/// One process on the bus: joins the exchange of its modules to the pure core and the core to a transport.
///
/// Design notes. `append` comes under the exchange's lock and only queues. The transport's sending thread pulls: it turns the queue
/// into records and frames, so one batch pays one lock and one wake-up. The receiving thread runs the core and hands
/// deliveries to the exchange. Locks are taken in the order exchange → outbox, core → nothing; actions run outside the core's lock.
package final class BusEndpoint: Relux.Uplink, BusTransportClient {
    enum Item: Sendable {
        case appended(Relux.Appended)
        case settled(Relux.Settled)
        case action(BusCore.Action)
    }

    struct Outbox: Sendable {
        var items: [Item] = []
        var isAwake = false
    }

    package let sealer: (any Relux.SecretSealing)?
    let clock: Relux.NodeClock
    let transport: any BusTransport
    let core: Mutex<BusCore>
    let outbox = Mutex(Outbox())
    let exchange = Mutex<Relux.Exchange?>(nil)
    /// Effect types that modules of this process handle, by topic, for decoding.
    let types = Mutex<[Topic: any Relux.Effect.Type]>([:])
    let isLossy = Mutex(false)
    let onJoined: @Sendable () -> Void
    let onSnapshot: @Sendable (_ topic: Topic, _ payload: [UInt8], _ stale: Bool) -> Void
    let codingInfo: [CodingUserInfoKey: any Sendable]
    private let wallTime: @Sendable () -> UInt64

    package init(
        host: HostID, transport: any BusTransport, clock: Relux.NodeClock = .continuous,
        sealer: (any Relux.SecretSealing)? = nil,
        makeMarker: @escaping @Sendable () -> [UInt8] = BusEndpoint.randomMarker,
        wallTime: @escaping @Sendable () -> UInt64 = BusEndpoint.wallClock,
        onJoined: @escaping @Sendable () -> Void = {},
        onSnapshot: @escaping @Sendable (Topic, [UInt8], Bool) -> Void = { _, _, _ in }
    ) {
        self.transport = transport
        self.clock = clock
        self.sealer = sealer
        self.onJoined = onJoined
        self.onSnapshot = onSnapshot
        self.wallTime = wallTime
        codingInfo = sealer.map { [.reluxSealer: $0] } ?? [:]
        core = Mutex(BusCore(host: host, makeMarker: makeMarker))
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
    package var isJoined: Bool { core.withLock { $0.isJoined } }
    package var isHeard: Bool { core.withLock { $0.isHeard } }
    package var unansweredHosts: [HostID] { core.withLock { $0.unansweredHosts } }

    // MARK: Uplink

    package func append(_ appended: Relux.Appended) { enqueue(.appended(appended)) }

    package func settled(_ settled: Relux.Settled) { enqueue(.settled(settled)) }

    func enqueue(_ item: Item) {
        let wakes = outbox.withLock { outbox in
            outbox.items.append(item)
            defer { outbox.isAwake = true }
            return !outbox.isAwake
        }
        if wakes { transport.wake() }
    }

    // MARK: Transport

    package func received(_ message: [UInt8]) {
        let now = clock.now()
        perform(core.withLock { $0.receive(message, now: now) })
    }

    package func subscribed(_ subscription: [UInt8]) {
        perform(core.withLock { $0.subscribed(subscription) })
    }

    package func droppedForSlowSubscriber() { isLossy.withLock { $0 = true } }

    package func pull() -> Outgoing {
        let now = clock.now()
        let items = outbox.withLock { outbox in
            let items = outbox.items
            outbox.items = []
            if items.isEmpty { outbox.isAwake = false }
            return items
        }
        var packer = FramePacker()
        var local: [BusCore.Action] = []
        var batch: [Relux.Appended] = []
        let flush = { (batch: inout [Relux.Appended]) in
            guard !batch.isEmpty else { return }
            let wallTime = self.wallTime()
            self.core.withLock { core in packer.pack(core.append(batch, wallTime: wallTime, now: now), into: &local) }
            batch.removeAll(keepingCapacity: true)
        }
        for item in items {
            switch item {
            case .appended(let appended): batch.append(appended)
            case .settled(let settled):
                flush(&batch)
                let result = ResultCoding.encode(settled.result, userInfo: codingInfo)
                core.withLock { packer.pack($0.settled(settled, result: result, now: now), into: &local) }
            case .action(let action):
                flush(&batch)
                packer.pack([action], into: &local)
            }
        }
        flush(&batch)
        core.withLock { packer.pack($0.tick(now: now), into: &local) }
        if isLossy.withLock({ isLossy in defer { isLossy = false }; return isLossy }) {
            core.withLock { packer.pack($0.repeatSnapshots(), into: &local) }
        }
        perform(local)
        var outgoing = packer.finish()
        outgoing.nextPull = core.withLock { $0.nextTick }.map { max(.zero, $0 - now) }
        return outgoing
    }
}
