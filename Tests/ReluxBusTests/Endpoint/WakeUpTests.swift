import Relux
import ReluxBus
import Synchronization
import Testing

/// A transport that sends nothing: it counts how often it is woken and lets the test pull.
private final class CountingTransport: BusTransport {
    private let wakes = Mutex(0)
    var wakeCount: Int { wakes.withLock { $0 } }
    func start(serving endpoint: any BusTransportClient) throws {}
    func wake() { wakes.withLock { $0 += 1 } }
    func connect(_ endpoint: String) {}
    func disconnect(_ endpoint: String) {}
    func subscribe(_ prefix: [UInt8]) {}
    func unsubscribe(_ prefix: [UInt8]) {}
    func stop() {}
}

@Suite struct WakeUpTests {
    @Test func `what yields no message still lets the next append wake the sender`() throws {
        let transport = CountingTransport()
        let endpoint = BusEndpoint(host: HostID(rawValue: "h"), transport: transport)
        try endpoint.start(Relux.Exchange(uplink: endpoint))
        // As a sending thread does: it sleeps once a pull says that there was nothing to take.
        func pullUntilIdle() { while !endpoint.pull().isIdle {} }
        pullUntilIdle()
        for _ in 0..<3 {
            let before = transport.wakeCount
            // The leave of a module that is not here is queued and gives no frame.
            endpoint.leave("Gone")
            #expect(transport.wakeCount == before + 1)
            pullUntilIdle()
        }
    }
}
