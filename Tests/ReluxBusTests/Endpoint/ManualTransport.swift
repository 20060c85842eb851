import Relux
import ReluxBus
import ReluxSystem
import ReluxTestKit
import ReluxZeroMQ
import Synchronization

/// A sending thread without sockets: what it was given is kept for the test.
final class ManualTransport: BusTransport {
    /// Frames in the order in which they would have been sent.
    let sent = Watched<[Frame]>([])
    private let client = Mutex<(any BusTransportClient)?>(nil)
    private let thread = Mutex<BlockingThread?>(nil)
    private let wakeUp: WakeUp
    private let isStopped = Mutex(false)

    init() throws { wakeUp = try WakeUp() }

    func start(serving endpoint: any BusTransportClient) throws {
        client.withLock { $0 = endpoint }
        let thread = try BlockingThread(name: "test-out") { [unowned self] in run() }
        self.thread.withLock { $0 = thread }
    }

    private func run() {
        var poller = Poller()
        poller.add(fileDescriptor: wakeUp.fileDescriptor)
        while !isStopped.withLock({ $0 }), let client = client.withLock({ $0 }) {
            let outgoing = client.pull()
            let frames = outgoing.messages.compactMap { try? Frame(decoding: $0.bytes) }
            if !frames.isEmpty { sent.update { $0 += frames } }
            guard outgoing.isIdle else { continue }
            _ = try? poller.wait(milliseconds: outgoing.nextPull.map { max(1, Int($0 / .milliseconds(1))) } ?? -1)
            _ = wakeUp.drain()
        }
    }

    func wake() { wakeUp.signal() }
    func connect(_ endpoint: String) {}
    func disconnect(_ endpoint: String) {}
    func subscribe(_ prefix: [UInt8]) {}
    func unsubscribe(_ prefix: [UInt8]) {}

    func stop() {
        isStopped.withLock { $0 = true }
        wakeUp.signal()
        thread.withLock { $0 }?.join()
        client.withLock { $0 = nil }
    }
}

extension [Frame] {
    /// Positions of the effects of that publisher, in the order in which they left.
    func effects(of publisher: ModuleID) -> [UInt64] {
        filter { $0.publisher == publisher && !$0.topic.isReserved }.flatMap(\.records).compactMap {
            if case .effect(let effect) = $0 { effect.position } else { nil }
        }
    }
}
