import Foundation
import ReluxBus
import ReluxTestKit
import ReluxWire
import Testing

extension EndToEnd {
    @Suite struct HungHandler {
        @Test func `a module whose actor blocks for ever is reported as stalled and restarted`() async throws {
            try await Cluster.play(settings: ["liveness:", "  stall: 500ms", "  restart: 3s"]) { cluster in
                try await Probe.load(into: cluster)
                let load = Load(on: cluster, try Load.mixed(), seed: 61)
                try await load.answers(50)
                let before = try await cluster.client.module("Probe")
                let block = Load(
                    on: cluster, [try .init(topic: "Probe.Business.Effect", case: "block")], publishers: 1, window: 1, seed: 62,
                    deadline: .seconds(60), limit: 1)
                try await block.tally.wait(for: "an effect that blocks") { $0.sent == 1 }
                let client = cluster.client
                try await client.isTold("answered no ping", of: "Probe")
                // Each life is cut by the watchdog, and the effect is given up at the fifth.
                try await block.tally.wait(for: "the end of what blocked") { $0.count("Probe", "deadLettered") > 0 }
                #expect(try await block.stop().hung.isEmpty)
                let back = try await cluster.client.status(when: "a new life of Probe") { status in
                    status.modules.contains { $0.id == "Probe" && $0.epoch > before.epoch && $0.state.phase == .ready }
                }
                let report = "\(cluster.run.crashes)/\(before.host)-\(before.pid).txt"
                try await offPool {
                    try poll(for: "what was in flight in \(report)", watching: [cluster.run.crashes], last: { Self.text(report) }) {
                        Self.text(report).contains("in flight  Cluster#") ? true : nil
                    }
                }
                #expect(Self.text(report).contains("killed by the watchdog: the executor of Probe answered no ping"), "\(Self.text(report))")
                #expect(back.modules.filter { $0.id != "Probe" }.allSatisfy { $0.state.phase == .ready && $0.restarts == 0 })
                let tally = try await load.stop()
                #expect(tally.hung.isEmpty && tally.answered == tally.sent, "\(tally)")
                #expect(!tally.outcomes.keys.contains { $0.hasSuffix(":lost") || $0.hasSuffix(":unanswered") }, "\(tally)")
            }
        }

        private static func text(_ path: String) -> String { (try? String(contentsOfFile: path, encoding: .utf8)) ?? "" }
    }
}
