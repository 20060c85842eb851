import ReluxBus
import ReluxTestKit
import Synchronization

/// The wires between transports of one process: ordered queues, one per pair, with faults to order.
///
/// Design notes. Nothing moves by itself: a transport that has something to do asks for the pump, which runs on one serial task and
/// ends when all queues are empty. Frames, subscriptions and pulls of one endpoint are therefore never at the same time.
package final class InMemoryHub: Sendable {
    /// Faults that happen to frames on their way. Subscriptions always arrive, as over a stream socket.
    package struct Faults: Sendable {
        /// How many of a hundred frames are dropped, sent twice, or overtaken by the next one.
        package var dropped = 0
        package var doubled = 0
        package var overtaken = 0
        package var seed: UInt64 = 1
        package init(dropped: Int = 0, doubled: Int = 0, overtaken: Int = 0, seed: UInt64 = 1) {
            self.dropped = dropped
            self.doubled = doubled
            self.overtaken = overtaken
            self.seed = seed
        }
    }

    struct Pair: Hashable {
        var from: String
        var to: String
    }

    struct State {
        var transports: [String: InMemoryTransport] = [:]
        /// Whom each endpoint is connected to and what it has subscribed to, in order.
        var connections: [String: [String]] = [:]
        var subscriptions: [String: [[UInt8]]] = [:]
        var frames: [Pair: [[UInt8]]] = [:]
        /// Subscriptions that an endpoint has still to be told of.
        var announced: [String: [[UInt8]]] = [:]
        var woken: Set<String> = []
        var frozen: Set<String> = []
        var cut: Set<Pair> = []
        var faults = Faults()
        var random = SeededRandom(seed: 1)
        var isPumping = false
    }

    /// Frames that a frozen endpoint's queue keeps; later ones are dropped for it.
    static let queueLimit = 1000
    let state = Mutex(State())

    package init(faults: Faults = Faults()) {
        state.withLock {
            $0.faults = faults
            $0.random = SeededRandom(seed: faults.seed)
        }
    }

    /// A frozen endpoint neither sends nor hears until it is thawed; what it should hear waits, up to a limit.
    package func freeze(_ endpoint: String) { state.withLock { _ = $0.frozen.insert(endpoint) } }

    package func thaw(_ endpoint: String) {
        state.withLock {
            $0.frozen.remove(endpoint)
            $0.woken.insert(endpoint)
        }
        pump()
    }

    /// Nothing passes between the two until they are joined again; frames sent meanwhile are lost.
    package func cut(_ a: String, _ b: String) {
        state.withLock { $0.cut.formUnion([Pair(from: a, to: b), Pair(from: b, to: a)]) }
    }

    package func heal(_ a: String, _ b: String) {
        state.withLock { $0.cut.subtract([Pair(from: a, to: b), Pair(from: b, to: a)]) }
    }

    /// The endpoint's process is gone, with all that was queued for it.
    package func remove(_ endpoint: String) {
        state.withLock { state in
            state.transports[endpoint] = nil
            state.connections[endpoint] = nil
            state.subscriptions[endpoint] = nil
            state.announced[endpoint] = nil
            state.woken.remove(endpoint)
            state.frozen.remove(endpoint)
            for pair in state.frames.keys where pair.to == endpoint || pair.from == endpoint { state.frames[pair] = nil }
        }
    }

    // MARK: Calls of the transports

    func add(_ transport: InMemoryTransport, at endpoint: String) {
        state.withLock { state in
            state.transports[endpoint] = transport
            for (peer, connected) in state.connections where connected.contains(endpoint) {
                state.announced[endpoint, default: []] += state.subscriptions[peer] ?? []
            }
        }
        wake(endpoint)
    }

    func connect(_ endpoint: String, to peer: String) {
        state.withLock { state in
            state.connections[endpoint, default: []].append(peer)
            state.announced[peer, default: []] += state.subscriptions[endpoint] ?? []
        }
        pump()
    }

    func disconnect(_ endpoint: String, from peer: String) {
        state.withLock { state in
            state.connections[endpoint]?.removeAll { $0 == peer }
            state.frames[Pair(from: peer, to: endpoint)] = nil
        }
    }

    func subscribe(_ endpoint: String, to prefix: [UInt8]) {
        state.withLock { state in
            state.subscriptions[endpoint, default: []].append(prefix)
            for peer in state.connections[endpoint] ?? [] { state.announced[peer, default: []].append(prefix) }
        }
        pump()
    }

    func unsubscribe(_ endpoint: String, from prefix: [UInt8]) {
        state.withLock { state in
            guard let index = state.subscriptions[endpoint]?.firstIndex(of: prefix) else { return }
            state.subscriptions[endpoint]?.remove(at: index)
        }
    }

    func wake(_ endpoint: String) {
        state.withLock { _ = $0.woken.insert(endpoint) }
        pump()
    }

    private func pump() {
        let starts = state.withLock { state in
            defer { state.isPumping = true }
            return !state.isPumping
        }
        // Unstructured on purpose: it ends when the queues are empty.
        if starts { Task.detached { self.run() } }
    }
}
