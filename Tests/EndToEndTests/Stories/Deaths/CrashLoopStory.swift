import Glibc
import ReluxControl
import ReluxTestKit
import ReluxWire
import Testing

extension EndToEnd {
    @Suite struct CrashLoop {
        @Test func `a module that dies again and again is quarantined alone, and a restart brings it back`() async throws {
            let quick = ["supervisor:", "  intensity: 3", "  backoff:", "    base: 10ms", "    cap: 50ms"]
            try await Cluster.play(settings: quick) { cluster in
                try await Probe.load(into: cluster)
                let load = Load(on: cluster, try Load.mixed(), seed: 31, pace: .milliseconds(20))
                try await load.answers(50)
                // While it handles nothing: an effect that ends it again and again would have to answer for its deaths itself.
                var dead: Set<Int32> = []
                for _ in 1...4 {
                    let status = try await cluster.client.status(when: "another life of Probe") { [dead] status in
                        status.modules.contains { $0.id == "Probe" && $0.state.phase == .ready && !dead.contains($0.pid) }
                    }
                    let pid = try #require(status.modules.first { $0.id == "Probe" }).pid
                    dead.insert(pid)
                    kill(pid, SIGKILL)
                }
                let probe = try await cluster.client.module("Probe", is: .quarantined)
                #expect(probe.state.why.contains("signal ") && probe.state.why.contains("relux module restart"), "\(probe.state)")
                #expect(probe.restarts == 3)
                try await load.answers(200)
                let status = try await cluster.client.status()
                #expect(status.modules.filter { $0.id != "Probe" }.allSatisfy { $0.state.phase == .ready && $0.restarts == 0 })
                let whyNot = try await cluster.cli("module", "why-not", "Probe")
                #expect(whyNot.status == 6 && whyNot.stdout.contains("quarantined"), "\(whyNot)")
                let tally = try await load.stop()
                #expect(tally.hung.isEmpty && tally.answered == tally.sent, "\(tally)")
                #expect(!tally.outcomes.keys.contains { $0.hasSuffix(":lost") || $0.hasSuffix(":unanswered") }, "\(tally)")

                let restart = try await cluster.cli("module", "restart", "Probe")
                #expect(restart.status == 0, "\(restart)")
                #expect(try await cluster.client.module("Probe", is: .ready).epoch > probe.epoch)
                let ask = Load(
                    on: cluster, [try .init(topic: "Probe.Business.Effect", case: "ask")], publishers: 1, window: 1, seed: 33)
                try await ask.tally.wait(for: "an answer of the probe") { $0.count("Probe", "succeeded") > 0 }
                #expect(try await ask.stop().hung.isEmpty)
            }
        }
    }
}
