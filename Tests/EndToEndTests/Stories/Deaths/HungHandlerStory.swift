import Foundation
import ReluxControl
import ReluxTestKit
import ReluxWire
import Testing

extension EndToEnd {
    @Suite struct HungHandler {
        @Test func `a module whose actor blocks for ever is reported as stalled and restarted`() async throws {
            try await Cluster.play(settings: ["liveness:", "  stall: 500ms", "  restart: 3s"]) { cluster in
                try await Probe.load(into: cluster)
                let load = Load(on: cluster, try Load.mixed(), seed: 61, pace: .milliseconds(20))
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

        /// As many as the pool has threads: nothing else of the host's modules can run meanwhile.
        @Test func `handlers that keep every thread of their host for ten seconds stop no heartbeat`() async throws {
            try await Cluster.play { cluster in
                try await Probe.load(into: cluster)
                let before = try await cluster.client.module("Probe")
                let threads = ProcessInfo.processInfo.activeProcessorCount
                let began = ContinuousClock.now
                let naps = Load(
                    on: cluster, [try .init(topic: "Probe.Business.Effect", case: "nap")], publishers: threads, window: 1, seed: 64,
                    deadline: .seconds(60), limit: 1)
                try await naps.tally.wait(for: "all naps") { $0.answered == threads }
                let tally = try await naps.stop()
                #expect(tally.count("Probe", "succeeded") == threads, "\(tally)")
                // The broker cuts a host that it has not heard for five seconds.
                #expect(ContinuousClock.now - began >= .seconds(10))
                let after = try await cluster.client.module("Probe")
                #expect(after.epoch == before.epoch && after.pid == before.pid && after.restarts == 0, "\(after)")
            }
        }

        @Test func `a handler that computes without a pause is named by status, doctor and the module's log, with its place`() async throws {
            try await Cluster.play(inherited: ["PROBE_STOP": "@/stop"]) { cluster in
                try await Probe.load(into: cluster)
                let busy = Load(
                    on: cluster, [try .init(topic: "Probe.Business.Effect", case: "compute")], publishers: 1, window: 1, seed: 63,
                    deadline: .seconds(60), limit: 1)
                let seen = try await cluster.client.status(when: "the handler that computes to be named") { status in
                    status.modules.contains { $0.id == "Probe" && $0.state.phase == .ready && $0.state.why.contains("Probe computes on a thread") }
                }
                let note = try #require(seen.noteLines.first { $0.contains("Probe computes on a thread") }, "\(seen.noteLines)")
                #expect(note.contains("handling Cluster#") && note.contains("Flow.apply") && note.contains("await Task.yield()"), "\(note)")
                let status = try await cluster.cli("status")
                #expect((status.stdout + status.stderr).contains("Probe computes on a thread"), "\(status)")
                let doctor = try await cluster.cli("doctor")
                #expect(doctor.stdout.contains("Probe computes on a thread") && doctor.stdout.contains("Flow.apply"), "\(doctor)")
                let host = try #require(seen.modules.first { $0.id == "Probe" }).host
                #expect(Self.text(cluster.run.log(of: host.rawValue)).contains("Probe computes on a thread"))
                #expect(FileManager.default.createFile(atPath: cluster.directory + "/stop", contents: nil))
                let tally = try await busy.stop()
                #expect(tally.count("Probe", "succeeded") == 1, "\(tally)")
                _ = try await cluster.client.status(when: "nothing to be said of it any more") { status in
                    status.modules.contains { $0.id == "Probe" && $0.state.why.isEmpty } && !status.noteLines.contains { $0.contains("computes") }
                }
            }
        }

        private static func text(_ path: String) -> String { (try? String(contentsOfFile: path, encoding: .utf8)) ?? "" }
    }
}
