import ReluxControl
import ReluxSystem
import ReluxWire
import ReluxZeroMQ
import Synchronization

/// A host's tap socket that says one effect after another, on a thread of its own, until the value goes away.
final class FakeHost: Sendable {
    let host: ClusterPicture.Host
    private let wakeUp: WakeUp
    private let thread: Mutex<BlockingThread?>

    /// - Parameter effect: the record of the given sequence.
    init(
        directory: RunDirectory, topic: Topic, publisher: ModuleID, effect: @escaping @Sendable (UInt64) -> EffectRecord
    ) throws {
        let endpoint = directory.tapEndpoint(of: publisher.rawValue)
        let host = ClusterPicture.Host(id: HostID(rawValue: publisher.rawValue), endpoint: "", tapEndpoint: endpoint)
        let wakeUp = try WakeUp()
        let socket = try ZeroMQSocket(.pub, in: try ZeroMQContext())
        try socket.bind(endpoint)
        let moved = Mutex<ZeroMQSocket?>(socket)
        (self.host, self.wakeUp) = (host, wakeUp)
        thread = Mutex(
            try BlockingThread(name: "fake-host") {
                guard let socket = moved.withLock({ $0.take() }) else { return }
                var poller = Poller()
                let stop = poller.add(fileDescriptor: wakeUp.fileDescriptor)
                var sequence: UInt64 = 0
                while (try? poller.wait(milliseconds: 5)) != nil, poller.ready(at: stop) == [] {
                    sequence += 1
                    let frame = Frame(topic: topic, publisher: publisher, epoch: Epoch(1), records: [.effect(effect(sequence))])
                    guard let bytes = try? frame.encoded() else { return }
                    _ = try? socket.send(bytes)
                }
            })
    }

    deinit {
        wakeUp.signal()
        thread.withLock { $0?.join() }
    }
}
