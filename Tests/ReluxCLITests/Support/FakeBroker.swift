import Foundation
import ReluxControl
import ReluxSystem
import ReluxWire
import ReluxZeroMQ
import Synchronization

/// A real ROUTER socket at a run directory's endpoint that answers as it is told, on a thread of its own.
final class FakeBroker: Sendable {
    let directory: RunDirectory
    private let thread: Mutex<BlockingThread?>
    private let wakeUp: WakeUp
    private let log: Log

    private final class Log: Sendable {
        let requests = Mutex<[ClientRequest]>([])
    }

    /// - Parameter answer: nil keeps silent.
    init(run: String, answer: @escaping @Sendable (ClientRequest.Body) -> ClientResponse.Body?) throws {
        let directory = RunDirectory(path: run)
        try directory.create()
        let wakeUp = try WakeUp()
        let log = Log()
        let socket = try ZeroMQSocket(.router, in: try ZeroMQContext())
        try socket.bind(directory.brokerEndpoint)
        let moved = Mutex<ZeroMQSocket?>(socket)
        (self.directory, self.wakeUp, self.log) = (directory, wakeUp, log)
        thread = Mutex(
            try BlockingThread(name: "fake-broker") {
                guard let socket = moved.withLock({ $0.take() }) else { return }
                var poller = Poller()
                poller.add(socket)
                let stop = poller.add(fileDescriptor: wakeUp.fileDescriptor)
                while (try? poller.wait(milliseconds: 30_000)) ?? 0 > 0, poller.ready(at: stop) == [] {
                    while let parts = try? socket.receiveParts(), parts.count == 2 {
                        guard case .client(let request)? = try? CBOR.decode(BrokerInbound.self, from: parts[1]) else { continue }
                        log.requests.withLock { $0.append(request) }
                        guard let body = answer(request.body),
                            let bytes = try? CBOR.encode(
                                BrokerOutbound.client(ClientResponse(id: request.id, body: body)))
                        else { continue }
                        _ = try? socket.send(parts: [parts[0], bytes])
                    }
                }
            })
    }

    var requests: [ClientRequest] { log.requests.withLock { $0 } }

    deinit {
        wakeUp.signal()
        thread.withLock { $0?.join() }
    }
}
