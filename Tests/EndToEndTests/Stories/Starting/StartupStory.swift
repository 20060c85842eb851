import Foundation
import Glibc
import ReluxControl
import ReluxTestKit
import ReluxWire
import Testing

extension EndToEnd {
    @Suite struct Startup {
        @Test func `the start runs what modules contribute in order, and a signal completed from the CLI lets it go on`() async throws {
            try await Witness.play { cluster, witness in
                let cli = cluster.cli
                // The critical actions are done, or nobody would be let in yet; that a user has still to do something keeps nobody out.
                try await witness.wait(for: "the onboarding") { $0 == "1 settings.onboarding of Settings began" }
                // The barrier's text reaches the broker by another way than what the witness hears.
                let text = "evaluation 1: 5 of 8 done, settings.onboarding of Settings runs"
                _ = try await cluster.client.status(when: "the barrier to say that the onboarding runs") { $0.barriers.contains { $0.text == text } }
                let status = try await cli("status")
                #expect(status.stdout.contains("StartupOrchestration: \(text)"), "\(status)")
                let signals = try await waiting(cli)
                #expect(signals.contains("onboarding  Settings  open   1"), "\(signals)")

                // While it waits a second evaluation is busy.
                #expect(try await cli("effect", "send", "StartupOrchestration.Effect.begin").status == 0)
                try await witness.wait(for: "a busy orchestrator") { $0 == "busy" }

                let completed = try await cli("signal", "complete", "onboarding")
                #expect(completed.status == 0 && completed.stdout.contains("onboarding of Settings is complete"), "\(completed)")
                let lines = try await witness.wait(for: "the end of the start") { $0.hasPrefix("ended 1") }
                #expect(lines == Self.wholeStart)

                // Nobody waits for it any more.
                #expect(try await cli("signal", "complete", "onboarding").status == 3)
                // An action that is done says so in its gate.
                #expect(try await cli("effect", "send", "StartupOrchestration.Effect.begin").status == 0)
                let again = try await witness.wait(for: "the end of a second evaluation") { $0.hasPrefix("ended 2") }
                #expect(again.contains("began 2 [stepper.step, notes.tip] []"), "\(again)")
                let audit = try await cli("audit")
                #expect(audit.status == 0, "\(audit)")
            }
        }

        @Test func `a critical migration that fails stops the rest and keeps users out with its name, until it is mended`() async throws {
            // A start that shows nothing: whoever shows something has excluded the mode.
            try await Witness.play(environment: ["RELUX_STARTUP_MODE": "headless"], waitsUntilReady: false) { cluster, witness in
                let cli = cluster.cli
                let database = cluster.run.state + "/Profile/profile.sqlite"
                try FileManager.default.createDirectory(
                    atPath: cluster.run.state + "/Profile", withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
                try String(repeating: "this is no database\n", count: 500).write(toFile: database, atomically: false, encoding: .utf8)
                let up = try await cli("up", "--timeout", "60s")
                #expect(up.status == 1 && up.stderr.contains("the barrier of StartupOrchestration is closed: \(Self.refusal)"), "\(up)")
                let lines = try await witness.wait(for: "the end of the start") { $0.hasPrefix("ended 1") }
                #expect(
                    lines.last == "ended 1 false profile.migrate [settings.migrate, notes.migrate, library.migrate, stepper.step]",
                    "\(lines)")
                #expect(lines.contains { $0.hasPrefix("1 profile.migrate of Profile failed(") && $0.contains("file is not a database") })
                #expect(!lines.contains { $0.contains("settings.migrate of") || $0.contains("notes.tip of") })

                // Nobody gets in, whoever asks why is told, and a restart of the runner changes nothing.
                try await isShut(cli)
                let pid = try await cluster.client.module("StartupOrchestration").pid
                kill(pid, SIGKILL)
                try await witness.wait(for: "a second life of the runner") { $0.hasPrefix("took up") }
                try await witness.wait(for: "the end of the start in its second life", when: { lines in lines.count { $0.hasPrefix("ended 1") } == 2 })
                _ = try await cluster.client.status(when: "the barrier to be stuck again") { $0.barriers.contains(where: \.isStuck) }
                try await isShut(cli)
                let before = witness.lines

                try FileManager.default.removeItem(atPath: database)
                #expect(try await cli("effect", "send", "StartupOrchestration.Effect.begin").status == 0)
                let mended = try await witness.wait(for: "the end of the second evaluation") { $0.hasPrefix("ended 2") }
                #expect(
                    mended.dropFirst(before.count) == [
                        "began 2 [profile.migrate, settings.migrate, notes.migrate, library.migrate, startup.endMaintenance, stepper.step] []",
                        "2 profile.migrate of Profile began", "2 profile.migrate of Profile completed",
                        "2 settings.migrate of Settings began", "2 settings.migrate of Settings completed",
                        "2 notes.migrate of Notes began", "2 notes.migrate of Notes completed",
                        "2 library.migrate of Library began", "2 library.migrate of Library completed", "2 startup.endMaintenance of - began",
                        "2 startup.endMaintenance of - completed", "2 stepper.step of Stepper began", "2 stepper.step of Stepper completed",
                        "ended 2 true - []",
                    ])
                _ = try await cluster.client.status(when: "the start to be over") { $0.phase == .open }
                let user = try await cli("effect", "send", "Notes.Business.Effect.list", "--json")
                #expect(!user.stdout.contains("barrier-closed") && !user.stderr.contains("barrier-closed"), "\(user)")
            }
        }

        private static let refusal = "profile.migrate of Profile was not done: "

        /// A user's effect is refused with the name of the failed action and the remedy, and `status` and `why-not` say the same.
        private func isShut(_ cli: CLI) async throws {
            let user = try await cli("effect", "send", "Notes.Business.Effect.list")
            #expect(user.status != 0 && user.stderr.contains("the start barrier of StartupOrchestration is closed: \(Self.refusal)"), "\(user)")
            #expect(user.stderr.contains("Mend it, then: relux effect send StartupOrchestration.Effect.begin"), "\(user)")
            for asked in [try await cli("status"), try await cli("module", "why-not", "StartupOrchestration")] {
                #expect(asked.stdout.contains(Self.refusal) && asked.stdout.contains("file is not a database"), "\(asked)")
            }
        }

        @Test func `an action ends as lost with its owner when that is killed or unloaded, and a gate that never answers is left out`()
            async throws
        {
            try await Witness.play { cluster, witness in
                let (cli, client) = (cluster.cli, cluster.client)
                try witness.hold(".step")
                try await witness.wait(for: "the onboarding") { $0 == "1 settings.onboarding of Settings began" }
                kill(try await client.module("Settings").pid, SIGKILL)
                try await witness.wait(for: "the loss of Settings") { $0 == "1 settings.onboarding of Settings lost(owner: Settings)" }

                // The run goes on with the others. Who is back is evaluated again, in its new life.
                try await witness.wait(for: "the stepper's action") { $0 == "1 stepper.step of Stepper began" }
                try await client.module("Settings", is: .ready)
                try witness.hold(".gate")
                try witness.release(".step")
                let second = try await witness.wait(for: "the onboarding of the new life") { $0 == "2 settings.onboarding of Settings began" }
                #expect(second.contains("1 notes.tip of Notes completed") && second.contains("ended 1 false - []"), "\(second)")
                #expect(second.contains("began 2 [settings.migrate, settings.onboarding, notes.tip] [stepper.step]"), "\(second)")
                #expect(try await waiting(cli).contains("Settings"))
                #expect(try await cli("signal", "complete", "onboarding").status == 0)
                try await witness.wait(for: "the end of the second evaluation") { $0 == "ended 2 false - []" }

                // A module is taken out in the middle of its action.
                try witness.hold(".step")
                try witness.release(".gate")
                let clock = ContinuousClock()
                let end = clock.now + watchdog
                while !witness.lines.contains(where: { $0.hasSuffix("stepper.step of Stepper began") && !$0.hasPrefix("1 ") }) {
                    guard clock.now < end else { throw HarnessError("the stepper's action does not begin again: \(witness.lines)") }
                    // The gate that was left out answers a moment later; until then it is left out.
                    try #require(try await cli("effect", "send", "StartupOrchestration.Effect.begin").status == 0)
                }
                let unloaded = try await cli("module", "unload", "Stepper")
                #expect(unloaded.status == 0, "\(unloaded)")
                try await witness.wait(for: "the loss of Stepper") { $0.hasSuffix("stepper.step of Stepper lost(owner: Stepper)") }
            }
        }

        /// Ties in the order in which the cluster's file names the modules.
        private static let wholeStart = [
            "began 1 [auth.migrate, profile.migrate, settings.migrate, notes.migrate, library.migrate, settings.onboarding, stepper.step, notes.tip] []",
            "1 auth.migrate of Auth began", "1 auth.migrate of Auth completed",
            "1 profile.migrate of Profile began", "1 profile.migrate of Profile completed",
            "1 settings.migrate of Settings began", "1 settings.migrate of Settings completed",
            "1 notes.migrate of Notes began", "1 notes.migrate of Notes completed",
            "1 library.migrate of Library began", "1 library.migrate of Library completed",
            "1 settings.onboarding of Settings began", "busy", "1 settings.onboarding of Settings completed",
            "1 stepper.step of Stepper began", "1 stepper.step of Stepper completed",
            "1 notes.tip of Notes began", "1 notes.tip of Notes completed",
            "ended 1 true - []",
        ]

        /// The text that `relux signal ls` prints once somebody waits.
        private func waiting(_ cli: CLI) async throws -> String {
            let clock = ContinuousClock()
            let end = clock.now + watchdog
            while true {
                let listed = try await cli("signal", "ls")
                guard listed.status == 0 else { throw HarnessError("\(listed)") }
                if listed.lines.contains(where: { $0.hasSuffix(" 1") }) { return listed.stdout }
                guard clock.now < end else { throw HarnessError("nobody waits for a signal: \(listed)") }
            }
        }
    }
}
