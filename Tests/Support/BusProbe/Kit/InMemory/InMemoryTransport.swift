package import Relux
package import ReluxBus
import Synchronization

/// Frames through an ``InMemoryHub``: what a test or a cluster in one process uses instead of sockets.
package final class InMemoryTransport: BusTransport {
    private struct State {
        /// Retained while it runs, as a socket's thread would.
        var client: (any BusTransportClient)?
        var timer: Task<Void, Never>?
    }
    private let hub: InMemoryHub
    private let endpoint: String
    private let clock: Relux.NodeClock
    private let state = Mutex(State())

    package init(hub: InMemoryHub, endpoint: String, clock: Relux.NodeClock = .continuous) {
        self.hub = hub
        self.endpoint = endpoint
        self.clock = clock
    }

    package func start(serving client: any BusTransportClient) throws {
        state.withLock { $0.client = client }
        hub.add(self, at: endpoint)
    }

    package func wake() { hub.wake(endpoint) }
    package func connect(_ peer: String) { hub.connect(endpoint, to: peer) }
    package func disconnect(_ peer: String) { hub.disconnect(endpoint, from: peer) }
    package func subscribe(_ prefix: [UInt8]) { hub.subscribe(endpoint, to: prefix) }
    package func unsubscribe(_ prefix: [UInt8]) { hub.unsubscribe(endpoint, from: prefix) }

    package func stop() {
        hub.remove(endpoint)
        state.withLock { state in
            state.timer?.cancel()
            state = State()
        }
    }

    // MARK: Calls of the pump

    func announce(_ subscriptions: [[UInt8]]) {
        guard let client = state.withLock({ $0.client }) else { return }
        for subscription in subscriptions { client.subscribed(subscription) }
    }

    func receive(_ frames: [[UInt8]]) {
        guard let client = state.withLock({ $0.client }) else { return }
        for frame in frames { client.received(frame) }
    }

    func droppedForSlowSubscriber() { state.withLock({ $0.client })?.droppedForSlowSubscriber() }

    func pull() -> Outgoing {
        guard let client = state.withLock({ $0.client }) else { return Outgoing() }
        let outgoing = client.pull()
        // Else the hub asks again at once.
        if outgoing.isIdle { schedule(after: outgoing.nextPull) }
        return outgoing
    }

    private func schedule(after delay: Duration?) {
        let clock = clock
        state.withLock { state in
            state.timer?.cancel()
            guard let delay, state.client != nil else { return state.timer = nil }
            let due = clock.now() + delay
            // The timer of a sending thread's poll; ended by the next pull.
            state.timer = Task.detached { [weak self] in
                guard (try? await clock.sleep(until: due)) != nil else { return }
                self?.wake()
            }
        }
    }
}
