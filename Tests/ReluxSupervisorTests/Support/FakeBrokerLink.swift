import ReluxControl
import Synchronization

@testable import ReluxSupervisor

/// A broker that hears all and says what the test tells it to.
final class FakeBrokerLink: BrokerLink {
    private struct State {
        var deliver: (@Sendable (BrokerOutbound) -> Void)?
        var connections = 0
    }
    private let state = Mutex(State())
    private let sink: AsyncStream<BrokerInbound>.Continuation
    let heard: AsyncStream<BrokerInbound>

    init() { (heard, sink) = AsyncStream.makeStream() }

    func connect(_ endpoint: String, deliver: @escaping @Sendable (BrokerOutbound) -> Void) {
        state.withLock {
            $0.deliver = deliver
            $0.connections += 1
        }
    }

    func send(_ message: BrokerInbound) { sink.yield(message) }

    func disconnect() { state.withLock { $0.deliver = nil } }

    func order(_ order: SupervisorOrder) { state.withLock { $0.deliver }?(.supervisor(order)) }

    var connections: Int { state.withLock { $0.connections } }
}
