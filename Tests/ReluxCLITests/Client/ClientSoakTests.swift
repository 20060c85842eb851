import Foundation
import Glibc
import ReluxBroker
@testable import ReluxCLI
import ReluxControl
import ReluxSystem
import ReluxTap
import ReluxTestKit
import ReluxZeroMQ
import SoakKit
import Synchronization
import Testing

/// A broker, as production has it, whose clients and taps come and go.
@Suite(.serialized, .timeLimit(.minutes(20))) struct ClientSoakTests {
    /// Steps run on a thread of their own: they wait in poll.
    private func play(
        _ unit: String, _ count: Int, warmUp: Int, _ step: @escaping @Sendable (RunDirectory, Int) throws -> Void
    ) throws -> (grown: [String], summary: String) {
        let scratch = TemporaryDirectory(isMade: true)
        let run = RunDirectory(path: scratch.path)
        try run.create()
        try ClusterSealer.makeKeyFile(run.key)
        // libzmq's thread takes a closed connection down when it comes to it: some of them are still there.
        var soak = Soak(unit, clock: nil, folder: run.path, heapSlack: 256 << 10)
        let service = try BrokerService(run: run)
        let thread = try BlockingThread(name: "soaked-broker") {
            do { try service.serve() } catch { Issue.record(error) }
        }
        defer {
            service.requestEnd()
            thread.join()
        }
        while access(run.brokerSocket, F_OK) != 0 { sched_yield() }
        try soak.play(count, warmUp: warmUp, census: { Census([:]) }, step: { try step(run, $0) })
        return (soak.complaints, soak.summary)
    }

    private static func visit(_ run: RunDirectory) throws {
        let client = try BrokerClient(endpoint: run.brokerEndpoint)
        guard case .status = try client.ask(.status, timeout: .seconds(30)) else { throw StrangeAnswer() }
    }

    private struct StrangeAnswer: Error {}

    @Test func `a thousand connections of clients leave nothing behind in the broker`() throws {
        let (grown, summary) = try play("client", SoakLength.of(500, full: 3_000), warmUp: 200) { run, _ in try Self.visit(run) }
        #expect(grown == [], "\(summary)")
    }

    @Test func `a thousand taps leave nothing behind in whom they have heard`() throws {
        let (grown, summary) = try play("tap", SoakLength.of(300, full: 2_000), warmUp: 150) { run, _ in
            let context = try ZeroMQContext()
            var tap = try TapSession(context: context, patterns: [TapPattern("Soak.**")], settlements: true)
            try tap.follow([.init(id: "cluster", endpoint: run.endpoint(of: "cluster"), tapEndpoint: run.tapEndpoint(of: "cluster"))])
            _ = try tap.receive(milliseconds: 1)
            // The broker has its turn.
            try Self.visit(run)
        }
        #expect(grown == [], "\(summary)")
    }

    @Test func `the soak finds a descriptor that is kept for each connection`() throws {
        let kept = Mutex<[Int32]>([])
        let (grown, _) = try play("client", 200, warmUp: 50) { run, _ in
            try Self.visit(run)
            kept.withLock { $0.append(dup(STDIN_FILENO)) }
        }
        for descriptor in kept.withLock({ $0 }) { close(descriptor) }
        #expect(grown.contains { $0.contains("descriptors instead of") }, "\(grown)")
    }
}
