import Foundation
import Relux
import ReluxControl
import ReluxWire
import ReluxZeroMQ
import Testing

extension EndToEnd {
    /// Clients that mean well and behave badly: the quick form of `relux-bench clients`.
    @Suite struct Clients {
        @Test func `clients that leave answers unread and say much cost the broker little, hold nobody up, and are told`() async throws {
            try await Cluster.play(modules: ["ErrorHandling", "Navigation"]) { cluster in
                let run = cluster.run
                let before = try await cluster.client.status()
                try await offPool { try Self.misbehave(at: run.brokerEndpoint, asking: { try Self.ask(run) }) }
                let after = try await cluster.client.status(when: "what was not looked at to be named") { status in
                    status.noteLines.contains { $0.contains("leave answers unread") }
                }
                #expect(after.brokerPid == before.brokerPid)
                // It was more than 600 MiB; a debug build has some 60 by itself.
                #expect(try Self.peak(of: after.brokerPid) < 250 << 10, "KiB")
                let doctor = try await cluster.cli("doctor")
                #expect(doctor.stdout.contains("leave answers unread"), "\(doctor)")
            }
        }

        @Test func `the memory of a crowd goes back when it has gone`() async throws {
            try await Cluster.play(modules: ["ErrorHandling"]) { cluster in
                let (pid, endpoint) = (try await cluster.client.status().brokerPid, cluster.run.brokerEndpoint)
                let before = try Self.resident(of: pid)
                let (with, after) = try await offPool {
                    let crowd = try Crowd(of: 900, at: endpoint)
                    let with = try Self.resident(of: pid)
                    crowd.leave()
                    var after = with
                    for _ in 0..<Int(watchdog / .milliseconds(100)) where after - before > (with - before) / 4 {
                        usleep(100_000)
                        after = try Self.resident(of: pid)
                    }
                    return (with, after)
                }
                #expect(with - before > 16 << 10, "\(before), \(with) KiB")
                #expect(after - before <= (with - before) / 4, "\(before), \(with), \(after) KiB")
            }
        }

        private static func resident(of pid: Int32) throws -> Int { try memory(of: pid, "RssAnon:") }

        private static func ask(_ run: RunDirectory) throws {
            let client = try BrokerTalker(run.brokerEndpoint)
            try client.send(.status, id: "mine")
            while try #require(try client.next(watchdog)).id != "mine" {}
        }

        /// Two that never read, each until it has asked for some 10 MiB; then 100 messages of 1.7 MiB of a third. All the time another one asks.
        private static func misbehave(at endpoint: String, asking: () throws -> Void) throws {
            let lazy = [try BrokerTalker(endpoint), try BrokerTalker(endpoint)]
            for round in 0..<2000 {
                for client in lazy { try client.send(.status, id: "unread") }
                if round % 100 == 0 { try asking() }
            }
            let loud = try BrokerTalker(endpoint)
            let payload = ByteString([UInt8](repeating: 0x7a, count: 1_700_000))
            for round in 0..<100 {
                try loud.send(.emit(topic: "Navigation.Business.Effect", payload: payload, deadlineMilliseconds: 0, label: ""), id: "large")
                if round % 20 == 0 { try asking() }
            }
            // Whoever reads is told what was not looked at, and is served again.
            var isTold = false
            while !isTold, let answer = try lazy[0].next(watchdog) {
                if case .refused(let code, _, let passes) = answer.body { isTold = code == "too-much-unread" && passes != nil }
            }
            #expect(isTold)
            try lazy[0].send(.status, id: "again")
            var isServed = false
            while !isServed, let answer = try lazy[0].next(watchdog) { isServed = answer.id == "again" }
            #expect(isServed)
        }

        private static func peak(of pid: Int32) throws -> Int { try memory(of: pid, "VmHWM:") }

        /// In KiB, as the kernel counts.
        private static func memory(of pid: Int32, _ name: String) throws -> Int {
            let text = try String(contentsOfFile: "/proc/\(pid)/status", encoding: .utf8)
            let line = text.split(separator: "\n").first { $0.hasPrefix(name) }
            return try #require(line?.split(whereSeparator: \.isWhitespace).dropFirst().first.flatMap { Int($0) })
        }
    }
}

/// Many clients, each of which has asked once and got its answer. Owned by one thread.
private final class Crowd {
    private var clients: [BrokerTalker]

    init(of count: Int, at endpoint: String) throws {
        clients = []
        let context = try ZeroMQContext(maximumSockets: count)
        for _ in 0..<count {
            let client = try BrokerTalker(endpoint, in: context)
            clients.append(client)
            try client.send(.status, id: "here")
        }
        for client in clients { while try #require(try client.next(watchdog)).id != "here" {} }
    }

    func leave() { clients = [] }
}

/// A client that sends without looking, and reads when it is told to. Owned by one thread.
private struct BrokerTalker {
    private final class Box {
        let socket: ZeroMQSocket
        init(_ socket: consuming ZeroMQSocket) { self.socket = socket }
    }
    private let box: Box

    init(_ endpoint: String, in context: ZeroMQContext? = nil) throws {
        var options = SocketOptions()
        (options.receiveHighWaterMark, options.sendHighWaterMark, options.linger) = (1, 0, .zero)
        let socket = try ZeroMQSocket(.dealer, in: try context ?? ZeroMQContext(), options: options)
        try socket.connect(endpoint)
        box = Box(socket)
    }

    func send(_ body: ClientRequest.Body, id: String) throws {
        _ = try box.socket.send(try CBOR.encode(BrokerInbound.client(ClientRequest(id: id, body: body))))
    }

    func next(_ limit: Duration) throws -> ClientResponse? {
        var poller = Poller(capacity: 1)
        poller.add(box.socket)
        guard try poller.wait(milliseconds: Int(limit / .milliseconds(1))) > 0, let bytes = try box.socket.receiveBytes(),
            case .client(let response) = try CBOR.decode(BrokerOutbound.self, from: bytes)
        else { return nil }
        return response
    }
}
