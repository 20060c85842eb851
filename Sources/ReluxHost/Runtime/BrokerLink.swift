import Relux
import ReluxBus
import ReluxControl
import Synchronization

/// The host's side of its connection to the broker: sends from any thread, keeps nothing while there is no transport.
final class BrokerLink: Sendable {
    private struct State: Sendable {
        var transport: ZeroMQTransport?
        var lastDue: [String: ContinuousClock.Instant] = [:]
        /// The host has introduced itself.
        var hasSpoken = false
        var lastHeard = ContinuousClock.now
    }
    /// A broker that reads no heartbeats pings each second whom it knows: when it is silent for this long it may not know whose connection this is.
    private static let silenceLimit = Duration.seconds(2)
    private let state = Mutex(State())

    func attach(_ transport: ZeroMQTransport) { state.withLock { $0.transport = transport } }

    func send(_ message: HostMessage) {
        // A message of ours always encodes: names, numbers and texts.
        guard let bytes = try? CBOR.encode(BrokerInbound.host(message)) else { return }
        let transport = state.withLock { state in
            if case .hello = message { state.hasSpoken = true }
            return state.transport
        }
        transport?.sendControl(bytes)
    }

    /// Whether a broker can know of this host.
    var hasSpoken: Bool { state.withLock { $0.hasSpoken } }

    /// The broker has said something, or takes heartbeats: it asks whom it does not know.
    func hear() { state.withLock { $0.lastHeard = .now } }

    /// Whether the broker should be told again that this host is there.
    var isUnheard: Bool { state.withLock { $0.hasSpoken && ContinuousClock.now - $0.lastHeard >= Self.silenceLimit } }

    /// True at most once per interval, for each thing that is done so. A tenth sooner is soon enough: the next look may come much later.
    func isDue(_ what: String, every interval: Duration) -> Bool {
        state.withLock { state in
            let now = ContinuousClock.now
            if let last = state.lastDue[what], now - last < interval * 9 / 10 { return false }
            state.lastDue[what] = now
            return true
        }
    }
}
