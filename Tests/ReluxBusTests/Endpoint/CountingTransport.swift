import ReluxBus
import Synchronization

/// A transport that sends nothing: it counts how often it is woken and lets the test pull.
final class CountingTransport: BusTransport {
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
