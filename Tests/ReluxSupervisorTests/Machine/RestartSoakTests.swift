import Foundation
import Glibc
import Logging
import ReluxControl
import SoakKit
import Synchronization
import Testing

@testable import ReluxSupervisor

/// The supervisor as production has it, with real processes that die again and again.
@Suite(.serialized, .timeLimit(.minutes(20))) struct RestartSoakTests {
    /// Its time: as much of it goes by as a test wants, besides the clock's.
    private final class Time: Sendable {
        private let more = Mutex(Duration.zero)
        private let start = ContinuousClock.now
        var now: Duration { ContinuousClock.now - start + more.withLock { $0 } }
        func pass(_ duration: Duration) { more.withLock { $0 += duration } }
    }

    private func play(
        _ count: Int, warmUp: Int, _ leak: (RunDirectory, Int) -> Void = { _, _ in }
    ) async throws -> (grown: [String], summary: String) {
        let scratch = Scratch()
        let run = RunDirectory(path: scratch.path + "/run")
        let (link, time) = (FakeBrokerLink(), Time())
        let launch = Launch(broker: Scratch.child, host: Scratch.child, directory: run, environment: ["PATH": "/usr/bin:/bin"])
        // The next process may live at a reading: its pipes and its pidfd are open then.
        var soak = Soak("restart", clock: nil, folder: run.path, descriptorSlack: 5)
        var service = SupervisorService(
            launch: launch, hosts: [],
            settings: .init(
                limits: .init(intensity: .max / 2, base: .milliseconds(1), cap: .milliseconds(1)),
                stop: .init(drain: .seconds(5), term: .seconds(5))),
            link: link, logger: Logger(label: "soak") { _ in SwiftLogNoOpLogHandler() })
        service.elapsed = { time.now }
        let ready = service
        let task = Task { try await ready.run() }
        var heard = link.heard.makeAsyncIterator()
        func wait(for isMet: (SupervisorMessage) -> Bool) async {
            while let message = await heard.next() { if case .supervisor(let said) = message, isMet(said) { return } }
        }
        await wait { if case .hello = $0 { true } else { false } }
        link.order(
            .start(HostSpec(id: "Auth", plugins: ["/p/Auth/current"], environment: ["BEHAVIOUR": "crash", "FIFO": ""])))
        await soak.play(count, warmUp: warmUp, census: { Census([:]) }) { number in
            await wait { if case .exited = $0 { true } else { false } }
            // Logs and crash reports are looked at every few seconds.
            time.pass(.seconds(10))
            leak(run, number)
        }
        task.cancel()
        try await task.value
        return (soak.complaints, soak.summary)
    }

    /// A death leaves two files until there are as many as are kept; where a soak is shorter they are no fault.
    private func faults(_ grown: [String]) -> [String] {
        SoakLength.isFull ? grown : grown.filter { !$0.contains("files instead of") }
    }

    @Test func `a process that dies a thousand times leaves nothing behind in the supervisor`() async throws {
        let (grown, summary) = try await play(SoakLength.of(200, full: 2_500), warmUp: SoakLength.of(80, full: 1_000))
        #expect(faults(grown) == [], "\(summary)")
    }

    @Test func `the soak finds a descriptor that is kept of each process`() async throws {
        var kept: [Int32] = []
        let (grown, _) = try await play(80, warmUp: 20) { _, _ in kept.append(dup(STDIN_FILENO)) }
        for descriptor in kept { close(descriptor) }
        #expect(grown.contains { $0.contains("descriptors instead of") }, "\(grown)")
    }
}
