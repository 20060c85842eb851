import Relux
import ReluxBus
import Synchronization

/// The host's side of its connection to the broker: sends from any thread, keeps nothing while there is no transport.
final class BrokerLink: Sendable {
    private struct State: Sendable {
        var transport: ZeroMQTransport?
        var lastDue: [String: ContinuousClock.Instant] = [:]
        /// Nil until the host has introduced itself.
        var lastSent: ContinuousClock.Instant?
    }
    /// A host that has nothing to say for so long says that it is there: a broker that came back knows nobody's address.
    private static let quietLimit = Duration.milliseconds(400)
    private let state = Mutex(State())

    func attach(_ transport: ZeroMQTransport) { state.withLock { $0.transport = transport } }

    func send(_ message: HostMessage) {
        // A message of ours always encodes: names, numbers and texts.
        guard let bytes = try? CBOR.encode(BrokerInbound.host(message)) else { return }
        let transport = state.withLock { state in
            if case .hello = message { state.lastSent = .now }
            if state.lastSent != nil { state.lastSent = .now }
            return state.transport
        }
        transport?.sendControl(bytes)
    }

    /// Whether the broker should hear something again.
    var isQuiet: Bool {
        state.withLock { state in state.lastSent.map { ContinuousClock.now - $0 >= Self.quietLimit } ?? false }
    }

    /// True at most once per interval, for each thing that is done so.
    func isDue(_ what: String, every interval: Duration) -> Bool {
        state.withLock { state in
            let now = ContinuousClock.now
            if let last = state.lastDue[what], now - last < interval { return false }
            state.lastDue[what] = now
            return true
        }
    }
}
