import ReluxSystem
package import ReluxZeroMQ
import Synchronization

/// Frames over ZeroMQ: XPUB and a lossy one for taps on one thread, SUB on another.
///
/// Design notes. *Out* owns both XPUBs: it pulls, sends, and reads subscriptions. *In* owns SUB and, if there is one, the
/// DEALER to the broker, so that hearing never waits for a send. A frame for which a subscriber's pipe has no room is tried
/// again for `patience` in all, then sent lossy; that subscriber repairs at its own pace. Commands reach the threads by
/// queues and eventfds.
package final class ZeroMQTransport: BusTransport {
    /// Calls for messages of the broker's connection; on the In thread.
    package struct Control: Sendable {
        package var endpoint: String
        package var identity: [UInt8]
        package var onMessage: @Sendable ([UInt8]) -> Void
        /// Called whenever the connection was made, the first time and again: a broker that came back knows nobody's address.
        package var onConnected: @Sendable () -> Void
        /// Called when `interval` has passed since the last time.
        package var onTick: @Sendable () -> Void
        /// Asked again whenever something has come.
        package var interval: @Sendable () -> Duration
        package init(
            endpoint: String, identity: [UInt8], interval: @escaping @Sendable () -> Duration,
            onMessage: @escaping @Sendable ([UInt8]) -> Void, onConnected: @escaping @Sendable () -> Void, onTick: @escaping @Sendable () -> Void
        ) {
            self.endpoint = endpoint
            self.identity = identity
            self.interval = interval
            self.onMessage = onMessage
            self.onConnected = onConnected
            self.onTick = onTick
        }
    }

    /// Topics and markers are shorter. libzmq keeps a node for each byte of a subscription and deletes them
    /// recursively: one of a mebibyte overflows the stack of whoever closes the socket (4.3.4, seen).
    private static let subscriptionByteLimit = 512
    /// Subscriptions that wait to be read here. libzmq reads on as long as there are any, so that it must run out of them for us to look.
    private static let subscriptionQueue = 8

    /// Frames that wait for one tap; some tens of mebibytes at most.
    private static let tapQueue = 2000

    enum Command: Sendable {
        case connect(String)
        case disconnect(String)
        case subscribe([UInt8])
        case unsubscribe([UInt8])
        case control([UInt8])
    }

    package let context: ZeroMQContext
    let endpoint: String
    let tapEndpoint: String
    let control: Control?
    let patience: Duration
    private let queuedFrameLimit: Int?
    let outWake: WakeUp
    let inWake: WakeUp
    let commands = Mutex<[Command]>([])
    let isStopping = Mutex(false)
    private let out = Mutex<OutLoop?>(nil)
    private let places = Mutex<BoundPlaces?>(nil)
    private let threads = Mutex<[BlockingThread]>([])

    /// - Parameter queuedFrameLimit: frames that wait for one subscriber before it counts as slow, and the same number that may wait here for the
    ///   thread that reads; nil for the usual number.
    package init(
        context: ZeroMQContext, endpoint: String, tapEndpoint: String, control: Control? = nil,
        patience: Duration = .milliseconds(5), queuedFrameLimit: Int? = nil
    ) throws {
        self.context = context
        self.endpoint = endpoint
        self.tapEndpoint = tapEndpoint
        self.control = control
        self.patience = patience
        self.queuedFrameLimit = queuedFrameLimit
        outWake = try WakeUp()
        inWake = try WakeUp()
    }

    /// - Throws: `ZeroMQError` when another process has the endpoints (`EADDRINUSE`; nothing of its was touched) or one cannot be bound;
    ///   `BlockingThreadError` when the system gives no thread. Nothing runs then, and another start may be tried.
    package func start(serving client: any BusTransportClient) throws {
        try start(serving: client) { (name, body) throws(BlockingThreadError) in try BlockingThread(name: name, body) }
    }

    /// - Parameter begin: begins a thread; a test refuses one.
    func start(
        serving client: any BusTransportClient,
        begin: (String, sending @escaping () -> Void) throws(BlockingThreadError) -> BlockingThread
    ) throws {
        isStopping.withLock { $0 = false }
        try places.withLock { (places) throws(ZeroMQError) in places = try BoundPlaces([endpoint, tapEndpoint]) }
        var isStarted = false
        defer { if !isStarted { stop() } }
        var options = SocketOptions()
        options.maximumMessageBytes = Self.subscriptionByteLimit
        options.receiveHighWaterMark = Self.subscriptionQueue
        options.sendHighWaterMark = queuedFrameLimit
        let intakes = [SubscriptionIntake(at: endpoint), SubscriptionIntake(at: tapEndpoint)]
        let xpub = try ZeroMQSocket(.xpub, in: context, options: options)
        try xpub.bind(endpoint)
        noteBound(endpoint)
        // Subscriptions of taps are read too, which a PUB cannot.
        options.noDrop = false
        options.sendHighWaterMark = min(queuedFrameLimit ?? Self.tapQueue, Self.tapQueue)
        let pub = try ZeroMQSocket(.xpub, in: context, options: options)
        try pub.bind(tapEndpoint)
        noteBound(tapEndpoint)
        var subOptions = SocketOptions()
        if let queuedFrameLimit { subOptions.receiveHighWaterMark = queuedFrameLimit }
        let sub = try ZeroMQSocket(.sub, in: context, options: subOptions)
        let signals = [try xpub.signalFileDescriptor, try pub.signalFileDescriptor]
        let out = OutLoop(transport: self, client: client, signals: signals, xpub: xpub, pub: pub, intakes: intakes)
        self.out.withLock { $0 = out }
        let into = try InLoop(transport: self, client: client, sub: sub)
        for (name, run) in [("relux-out", out.run), ("relux-in", into.run)] {
            let thread = try begin(name, run)
            threads.withLock { $0.append(thread) }
        }
        isStarted = true
    }

    private func noteBound(_ endpoint: String) { places.withLock { $0?.noteBound(endpoint) } }

    package func wake() { outWake.signal() }

    /// Looks whether the sockets can still be found where they were bound, and binds them again where they cannot. Call it from time to
    /// time, from any thread.
    ///
    /// - Returns: the endpoints that were bound again.
    /// - Throws: `EADDRINUSE` when another process has come into this one's place; else why it cannot be done now.
    package func holdPlaces() throws(ZeroMQError) -> [String] {
        guard let out = out.withLock({ $0 }) else { return [] }
        let lost = try places.withLock { (places) throws(ZeroMQError) in try places?.lost() ?? [] }
        for endpoint in lost {
            try out.bindAgain(endpoint, isTap: endpoint == tapEndpoint)
            noteBound(endpoint)
        }
        return lost
    }

    package func wakeInline() {
        // After the end nothing is sent.
        if out.withLock({ $0 })?.sendInline() != true { wake() }
    }

    package func connect(_ endpoint: String) { command(.connect(endpoint)) }
    package func disconnect(_ endpoint: String) { command(.disconnect(endpoint)) }
    package func subscribe(_ prefix: [UInt8]) { command(.subscribe(prefix)) }
    package func unsubscribe(_ prefix: [UInt8]) { command(.unsubscribe(prefix)) }
    /// Sends to the broker.
    package func sendControl(_ message: [UInt8]) { command(.control(message)) }

    package func stop() {
        isStopping.withLock { $0 = true }
        outWake.signal()
        inWake.signal()
        threads.withLock { threads in
            for thread in threads { thread.join() }
            threads = []
        }
        // The sockets close here, when nobody is in them any more.
        out.withLock { $0 = nil }
        places.withLock { $0 = nil }
    }

    private func command(_ command: Command) {
        commands.withLock { $0.append(command) }
        inWake.signal()
    }
}
