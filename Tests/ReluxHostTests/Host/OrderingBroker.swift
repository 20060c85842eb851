import ReluxControl
import ReluxSystem
import ReluxTestKit
import ReluxWire
import ReluxZeroMQ
import Synchronization

/// A ROUTER at a run directory's endpoint that keeps what hosts say, and tells them what a test wants; nothing else.
final class OrderingBroker: Sendable {
    struct Heard: Sendable {
        var connections: [HostID: [UInt8]] = [:]
        var said: [(host: HostID, message: HostMessage)] = []

        /// The phases that the host has told of the module, in order.
        func phases(_ host: HostID, _ module: ModuleID) -> [ModuleState.Phase] {
            said.compactMap { entry in
                guard entry.host == host, case .state(module, let state) = entry.message else { return nil }
                return state.phase
            }
        }
        func refusals(_ host: HostID) -> [String] {
            said.compactMap { entry in if entry.host == host, case .refused(_, let code, _) = entry.message { code } else { nil } }
        }
    }

    let heard = Watched(Heard())
    private let wakeUp: WakeUp
    private let orders: Orders
    private let thread: Mutex<BlockingThread?>

    private final class Orders: Sendable {
        let waiting = Mutex<[(HostID, HostOrder)]>([])
        let isOver = Mutex(false)
    }

    init(_ run: RunDirectory) throws {
        let (wakeUp, heard, orders) = (try WakeUp(), heard, Orders())
        let socket = try ZeroMQSocket(.router, in: try ZeroMQContext())
        try socket.bind(run.membersEndpoint)
        let moved = Mutex<ZeroMQSocket?>(socket)
        (self.wakeUp, self.orders) = (wakeUp, orders)
        thread = Mutex(
            try BlockingThread(name: "broker") {
                guard let socket = moved.withLock({ $0.take() }) else { return }
                var poller = Poller()
                poller.add(socket)
                poller.add(fileDescriptor: wakeUp.fileDescriptor)
                while !orders.isOver.withLock({ $0 }), (try? poller.wait(milliseconds: 60_000)) != nil {
                    _ = wakeUp.drain()
                    while let parts = try? socket.receiveParts(), parts.count == 2 {
                        guard case .host(let message)? = try? CBOR.decode(BrokerInbound.self, from: parts[1]) else { continue }
                        heard.update { heard in
                            if case .hello(let hello) = message { heard.connections[hello.host] = parts[0] }
                            guard let host = heard.connections.first(where: { $0.value == parts[0] })?.key else { return }
                            heard.said.append((host, message))
                        }
                    }
                    let (waiting, connections) = (orders.waiting.withLock { waiting in defer { waiting = [] }; return waiting }, heard.value.connections)
                    for (host, order) in waiting {
                        guard let connection = connections[host], let bytes = try? CBOR.encode(BrokerOutbound.host(order)) else { continue }
                        _ = try? socket.send(parts: [connection, bytes])
                    }
                }
            })
    }

    func tell(_ host: HostID, _ order: HostOrder) {
        orders.waiting.withLock { $0.append((host, order)) }
        wakeUp.signal()
    }

    /// Returns when the host says that its module is in that phase, for the `count`th time.
    func module(_ module: ModuleID, in host: HostID, is phase: ModuleState.Phase, count: Int = 1) async throws {
        try await heard.wait(for: "\(module) in \(host) to be \(phase) for the \(count). time") {
            $0.phases(host, module).count { $0 == phase } >= count
        }
    }

    func stop() {
        orders.isOver.withLock { $0 = true }
        wakeUp.signal()
        thread.withLock { $0?.join() }
    }
}
