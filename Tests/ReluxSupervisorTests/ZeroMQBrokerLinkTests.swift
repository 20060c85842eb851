import Logging
import ReluxControl
import ReluxWire
import ReluxZeroMQ
import Testing

@testable import ReluxSupervisor

@Suite(.timeLimit(.minutes(2))) struct ZeroMQBrokerLinkTests {
    private let logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }

    /// One life of a broker: hears `count` messages, answers each with a ping, and is gone.
    ///
    /// With a context of its own, as in a process: libzmq unlinks the file of a closed socket when it likes, but not after the
    /// context's end.
    private func broker(at endpoint: String, hears count: Int) async -> [String] {
        await offPool {
            do {
                let context = try ZeroMQContext()
                let heard = try Self.serve(context, at: endpoint, count)
                context.terminate()
                return heard
            } catch {
                return ["\(error)"]
            }
        }
    }

    private static func serve(_ context: ZeroMQContext, at endpoint: String, _ count: Int) throws -> [String] {
        var heard: [String] = []
        let socket = try ZeroMQSocket(.router, in: context)
        try socket.bind(endpoint)
        while heard.count < count, let parts = try socket.receiveParts(wait: true) {
            guard case .supervisor(let message) = try CBOR.decode(BrokerInbound.self, from: parts[1]) else { break }
            heard.append("\(message)")
            _ = try socket.send(parts: [parts[0], CBOR.encode(BrokerOutbound.supervisor(.ping))])
        }
        return heard
    }

    @Test func `messages wait for the broker, its orders arrive, and its successor gets a fresh conversation`() async throws {
        let scratch = Scratch()
        let run = RunDirectory(path: scratch.path)
        try run.create()
        let context = try ZeroMQContext()
        let link = ZeroMQBrokerLink(context: context, logger: logger)
        let (orders, sink) = AsyncStream.makeStream(of: BrokerOutbound.self)
        var iterator = orders.makeAsyncIterator()
        link.send(.supervisor(.pong))  // nobody to say it to
        for life in 1...2 {
            link.connect(run.membersEndpoint) { sink.yield($0) }
            link.send(.supervisor(.started(host: HostID(rawValue: "Auth"), HostProcess(start: StartNumber(order: 1, attempt: 1), pid: Int32(life)))))
            link.send(.supervisor(.pong))
            let heard = await broker(at: run.membersEndpoint, hears: 2)
            #expect(heard.count == 2, "\(heard)")
            #expect(heard.first?.contains("pid: \(life)") == true && heard.last?.contains("pong") == true, "\(heard)")
            for _ in 0..<2 {
                guard case .supervisor(.ping) = await iterator.next() else {
                    Issue.record("no order")
                    return
                }
            }
            link.disconnect()
        }
    }
}
