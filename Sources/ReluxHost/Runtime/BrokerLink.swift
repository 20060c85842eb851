import Relux
import ReluxBus
import Synchronization

/// The host's side of its connection to the broker: sends from any thread, keeps nothing while there is no transport.
final class BrokerLink: Sendable {
    private struct State: Sendable {
        var transport: ZeroMQTransport?
        var lastDue: [Duration: ContinuousClock.Instant] = [:]
    }
    private let state = Mutex(State())

    func attach(_ transport: ZeroMQTransport) { state.withLock { $0.transport = transport } }

    func send(_ message: HostMessage) {
        // A message of ours always encodes: names, numbers and texts.
        guard let bytes = try? CBOR.encode(BrokerInbound.host(message)) else { return }
        state.withLock { $0.transport }?.sendControl(bytes)
    }

    /// True at most once per interval.
    func isDue(every interval: Duration) -> Bool {
        state.withLock { state in
            let now = ContinuousClock.now
            if let last = state.lastDue[interval], now - last < interval { return false }
            state.lastDue[interval] = now
            return true
        }
    }

    /// Nothing is held back here; the transport's close lingers for what it has queued.
    func flush() {}
}
