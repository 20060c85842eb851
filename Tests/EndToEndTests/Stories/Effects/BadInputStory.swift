import Foundation
import Glibc
import ReluxControl
import ReluxTestKit
import ReluxWire
import ReluxZeroMQ
import Testing

extension EndToEnd {
    @Suite struct BadInput {
        @Test func `2,000 bad messages to the broker kill nobody, and are counted and named`() async throws {
            try await Self.underLoad(seed: 91) { cluster, before in
                let run = cluster.run
                let answered = try await offPool { try Self.flood(run, victim: before, SeededRandom(seed: 92)) }
                #expect(answered == ["broker.message": 1500, "introduce": 500, "status": 1])
                let status = try await cluster.client.status(when: "what was refused to be counted") { status in
                    status.noteLines.contains { $0.contains("could not be decoded") }
                        && status.noteLines.contains { $0.contains("have not said who they are") }
                }
                #expect(status.modules.map(\.counters.lost) == before.modules.map(\.counters.lost))
            }
        }

        @Test func `a flood whose sender leaves before it has been read kills nobody`() async throws {
            try await Self.underLoad(seed: 95) { cluster, _ in
                let endpoint = cluster.run.brokerEndpoint
                try await offPool {
                    var options = SocketOptions()
                    options.sendHighWaterMark = 0
                    let context = try ZeroMQContext()
                    // Each says more than the broker takes in from one connection before it has read any.
                    for _ in 0..<4 {
                        let socket = try ZeroMQSocket(.dealer, in: context, options: options)
                        try socket.connect(endpoint)
                        for _ in 0..<15_000 { _ = try socket.send([0xff]) }
                    }
                    context.terminate()
                }
            }
        }

        @Test func `bad subscriptions and bytes to the sockets of a host kill nobody`() async throws {
            try await Self.underLoad(seed: 93) { cluster, _ in
                let run = cluster.run
                try await offPool {
                    var random = SeededRandom(seed: 94)
                    for socket in ["broker.ipc", "cluster.ipc", "cluster.tap", "Notes.ipc", "Notes.tap"] {
                        for _ in 0..<20 { try Self.scribble(on: "\(run.sockets)/\(socket)", &random) }
                    }
                    try Self.subscribe(run.endpoint(of: "Notes"), &random)
                    try Self.subscribe(run.tapEndpoint(of: "Notes"), &random)
                }
            }
        }

        /// The same processes and epochs before and after, everything ready, and no effect that did not end.
        static func underLoad(
            seed: UInt64, _ body: (Cluster, ClusterStatus) async throws -> Void
        ) async throws {
            try await Cluster.play { cluster in
                let load = Load(on: cluster, try Load.mixed(), seed: seed, pace: .milliseconds(20))
                try await load.answers(100)
                let before = try await cluster.client.status()
                try await body(cluster, before)
                try await load.answers(200)
                let after = try await cluster.client.status()
                #expect(after.brokerPid == before.brokerPid)
                #expect(after.modules.map(\.pid) == before.modules.map(\.pid))
                #expect(after.modules.map(\.epoch) == before.modules.map(\.epoch))
                #expect(after.modules.allSatisfy { $0.state.phase == .ready })
                let tally = try await load.stop()
                #expect(tally.failure.isEmpty && tally.hung.isEmpty && tally.answered == tally.sent, "\(tally)")
                #expect(!tally.outcomes.keys.contains { $0.hasSuffix(":lost") || $0.hasSuffix(":unanswered") }, "\(tally)")
            }
        }

        /// The number of answers of each kind: each message is answered.
        static func flood(_ run: RunDirectory, victim: ClusterStatus, _ seed: SeededRandom) throws -> [String: Int] {
            var random = seed
            let pid = victim.modules.first { $0.id == "Notes" }?.pid ?? 0
            let status = try CBOR.encode(BrokerInbound.client(ClientRequest(id: "x", body: .status)))
            var lost = BusCounters()
            lost.lost = ["Notes": LostBook(epoch: Epoch(1), ["Notes": 5])]
            let process = HostProcess(start: StartNumber(order: .max, attempt: 1), pid: pid)
            let end = ReluxControl.ProcessEnd(status: "exit 0", isClean: true, next: .resting, order: .max)
            let strangers = [
                try CBOR.encode(BrokerInbound.host(.pong(stalled: ["Notes"]))),
                try CBOR.encode(BrokerInbound.host(.bus(lost))),
                try CBOR.encode(BrokerInbound.host(.left(module: "Notes"))),
                try CBOR.encode(BrokerInbound.supervisor(.started(host: "Notes", process))),
                try CBOR.encode(BrokerInbound.supervisor(.exited(host: "Notes", process, end))),
                try CBOR.encode(BrokerInbound.supervisor(.decided(host: "Notes", .quarantined(why: "a stranger says so"), order: .max))),
            ]
            let socket = try ZeroMQSocket(.dealer, in: try ZeroMQContext())
            try socket.connect(run.brokerEndpoint)
            let member = try ZeroMQSocket(.dealer, in: try ZeroMQContext())
            try member.connect(run.membersEndpoint)
            var answers: [String: Int] = [:]
            func take(_ milliseconds: Int, until isOver: (([String: Int]) -> Bool) = { _ in false }) throws {
                var poller = Poller(capacity: 2)
                poller.add(socket)
                poller.add(member)
                while !isOver(answers), try poller.wait(milliseconds: milliseconds) > 0,
                    let part = try socket.receiveParts()?.last ?? member.receiveParts()?.last
                {
                    let answer =
                        switch try CBOR.decode(BrokerOutbound.self, from: part) {
                        case .host(.introduce), .supervisor(.introduce): "introduce"
                        case .client(let response):
                            switch response.body {
                            case .refused(let code, _, _): code
                            case .status: "status"
                            default: "other"
                            }
                        case .host, .supervisor: "other"
                        }
                    answers[answer, default: 0] += 1
                }
            }
            for number in 0..<2000 {
                var bytes: [UInt8]
                switch number % 8 {
                case 0: bytes = noise(1...300, &random)
                case 1: bytes = Array(status.prefix(Int.random(in: 1..<status.count, using: &random)))
                case 2:
                    bytes = status
                    bytes[Int.random(in: 0..<8, using: &random)] ^= UInt8.random(in: 1...255, using: &random)
                // Deep, and with a length that nobody has.
                case 3: bytes = Array(repeating: 0x9f, count: Int.random(in: 1...4000, using: &random))
                case 4: bytes = [0x5b, 0x7f] + Array(repeating: 0xff, count: 7) + noise(1...10, &random)
                case 5: bytes = []
                default:
                    _ = try member.send(strangers[Int.random(in: 0..<strangers.count, using: &random)])
                    continue
                }
                if number % 16 == 5 {
                    _ = try socket.send(parts: [bytes, bytes, noise(1...9, &random)])
                } else {
                    _ = try socket.send(bytes)
                }
                try take(0)
            }
            // Answers come in the order of what was asked: behind this one there are no more.
            _ = try socket.send(status)
            try take(Int(watchdog / .milliseconds(1))) { $0["status"] == 1 && $0["introduce"] == 500 }
            // Larger than the broker takes: this connection is cut, no other.
            _ = try socket.send(Array(repeating: 0x7a, count: 8 << 20))
            return answers
        }

        /// Bytes of no protocol at all.
        static func scribble(on path: String, _ random: inout SeededRandom) throws {
            let descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
            defer { close(descriptor) }
            var address = sockaddr_un()
            address.sun_family = sa_family_t(AF_UNIX)
            withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
            let connected = withUnsafePointer(to: &address) {
                $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                    connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
                }
            }
            guard connected == 0 else { throw HarnessError("\(path): \(String(cString: strerror(errno)))") }
            let bytes = noise(1...2000, &random)
            _ = send(descriptor, bytes, bytes.count, Int32(MSG_NOSIGNAL))
        }

        /// Subscriptions to nonsense, markers that are none, and what is no subscription.
        static func subscribe(_ endpoint: String, _ random: inout SeededRandom) throws {
            let socket = try ZeroMQSocket(.xsub, in: try ZeroMQContext())
            try socket.connect(endpoint)
            for number in 0..<1000 {
                let bytes: [UInt8] =
                    switch number % 4 {
                    case 0: [1] + noise(0...200, &random)
                    case 1: [1, 0xff] + noise(0...60, &random)
                    case 2: noise(1...20, &random)
                    default: [0] + noise(0...10, &random)
                    }
                _ = try socket.send(bytes)
            }
            // Longer than any topic: this connection is cut, no other. (A mebibyte would overflow our own stack in libzmq.)
            _ = try socket.send([1, 0xff] + Array(repeating: 0xff, count: 16 << 10))
        }

        static func noise(_ count: ClosedRange<Int>, _ random: inout SeededRandom) -> [UInt8] {
            (0..<Int.random(in: count, using: &random)).map { _ in UInt8.random(in: .min ... .max, using: &random) }
        }
    }
}
