import Foundation
import Glibc
import ReluxControl
import ReluxTestKit
import ReluxWire
import Testing

extension EndToEnd {
    /// Orchestrators whose actions live in other processes: a pipeline's context, a monitor's looks, and the end of the process that runs them.
    @Suite struct Orchestrators {
        @Test func `a pipeline and a monitor run actions of two processes, through the death and the upgrade of the third that runs them`()
            async throws
        {
            try await Runners.play { cluster, witness in
                let (cli, client) = (cluster.cli, cluster.client)
                // 52: values cross processes with their types; one of the wrong type is named.
                let first = try await witness.wait(for: "the end of the first evaluation") { $0.hasPrefix("ended 1") }
                #expect(
                    first == ["began 1 [stepper.set, witness.count, stepper.sum] []"] + Self.halves(1) + [
                        "1 stepper.sum of Stepper began", "1 stepper.sum of Stepper \(Self.mismatch)", "ended 1 false - []",
                    ])

                // 54: the monitor's actions in two processes never overlap, and each look has its order.
                let looks = try await witness.wait(for: "looks", of: ".looks", when: { $0.count >= 12 })
                let look = ["stepper begins", "stepper ends", "witness begins", "witness ends"]
                #expect(looks.enumerated().allSatisfy { $0.element == look[$0.offset % 4] }, "\(looks)")

                // A module that comes in the middle of an evaluation sees where it is.
                try witness.hold(".wait")
                try await evaluate(client)
                try await witness.wait(for: "the second evaluation's wait") { $0 == "2 witness.wait of Witness began" }
                kill(try await client.module("Stepper").pid, SIGKILL)
                let seen = try await witness.wait(for: "a second life of the stepper", of: ".seen") { $0.hasPrefix("life 2: ") }
                #expect(seen.first { $0.hasPrefix("life 2: ") } == "life 2: evaluation 2: 2 of 4 done, witness.wait of Witness runs")
                try await client.module("Stepper", is: .ready)

                // The runner is killed: its next life takes the evaluation up, and the signal that is waited for is the same.
                try await open(cli)
                kill(try await client.module("Pipes").pid, SIGKILL)
                let taken = try await witness.wait(for: "a second life of the runner") { $0 == "1 witness.wait of Witness began" }
                #expect(
                    Self.since("took up", taken) == [
                        "took up [witness.wait] in life 2", "began 1 [stepper.set, witness.count, witness.wait, stepper.sum] []",
                    ] + Self.halves(1) + ["1 witness.wait of Witness began"])
                try await complete(cli)
                let ended = try await witness.wait(for: "the end of what was taken up") { $0 == "1 witness.wait of Witness completed" }
                #expect(ended.count { $0 == "witness.wait runs" } == 1, "one run for both lives: \(ended)")
                try await witness.wait(for: "the end of the evaluation", when: { lines in lines.count { $0 == "ended 1 false - []" } == 2 })

                // The runner is upgraded: the same.
                try await evaluate(client)
                try await witness.wait(for: "another wait", when: { lines in lines.count { $0 == "2 witness.wait of Witness began" } == 2 })
                try await witness.wait(for: "another run", when: { lines in lines.count { $0 == "witness.wait runs" } == 2 })
                let upgraded = try await cli("module", "upgrade", "Pipes", try Runners.laterPipes(cluster))
                #expect(upgraded.status == 0, "\(upgraded)")
                try await witness.wait(for: "a third life of the runner", when: { lines in
                    Self.since("took up [witness.wait] in life 3", lines).contains("1 witness.wait of Witness began")
                })
                try await complete(cli)
                let last = try await witness.wait(for: "the end of the last evaluation", when: { lines in
                    Self.since("took up [witness.wait] in life 3", lines).contains("ended 1 false - []")
                })
                #expect(last.count { $0 == "witness.wait runs" } == 2, "\(last)")
                #expect(try await client.module("Pipes").version == Runners.later)
                #expect(try await cli("audit").status == 0)
            }
        }

        private static let mismatch = "failed(\"\\\"posts\\\" was asked for as Int and is Array<Swift.String>; ask for it as what it was set as\")"

        /// The two actions that hand a value from one process to the other.
        private static func halves(_ number: Int) -> [String] {
            [
                "\(number) stepper.set of Stepper began", "\(number) stepper.set of Stepper completed",
                "\(number) witness.count of Witness began", "\(number) witness.count of Witness completed",
            ]
        }

        /// From the last line on that begins so.
        private static func since(_ start: String, _ lines: [String]) -> [String] {
            lines.lastIndex { $0.hasPrefix(start) }.map { Array(lines[$0...]).filter { !$0.hasSuffix(" runs") } } ?? []
        }

        /// It has the shape of the fixture's.
        private enum Effect: Codable { case run }

        private func evaluate(_ client: Client) async throws {
            let payload = ByteString(try CBOR.encode(Effect.run))
            let answer = try await client.talk { try Client.emit("Pipes.Effect", payload, "", .seconds(30), $0) }
            #expect(answer.succeeded && !answer.unhandled)
        }

        /// Waits until somebody waits for the signal.
        private func open(_ cli: CLI) async throws {
            let end = ContinuousClock.now + watchdog
            while true {
                let listed = try await cli("signal", "ls")
                if listed.lines.contains(where: { $0.hasPrefix("go ") && $0.hasSuffix(" 1") }) { return }
                guard ContinuousClock.now < end else { throw HarnessError("nobody waits for a signal: \(listed)") }
            }
        }

        private func complete(_ cli: CLI) async throws {
            try await open(cli)
            let completed = try await cli("signal", "complete", "go")
            #expect(completed.status == 0, "\(completed)")
        }
    }
}
