import Foundation
import ReluxTestKit
import ReluxWire
import Testing

extension EndToEnd {
    @Suite struct Taps {
        @Test(arguments: Placement.allCases)
        func `the tap shows module, source line and cause, and at its end what it has seen`(_ placement: Placement) async throws {
            try await Cluster.play(placement) { cluster in
                let tap = try Tap(cluster)
                try await tap.hearing(cluster)
                let sent = try await cluster.cli("effect", "send", "SessionOrchestration.Effect.refreshSession", "--label", "look")
                #expect(sent.status == 0)
                let root = try await tap.effect("refreshSession") { $0.label == "look" }
                let asked = try await tap.effect("validateSession") { $0.cause == root.id }
                #expect(asked.module == "SessionOrchestration")
                #expect(asked.path == "Auth.Business.Effect.validateSession")
                #expect(asked.file.hasSuffix("SessionOrchestration+Saga+Own.swift"))
                let source = try String(
                    contentsOfFile: Built.repository
                        + "/Plugins/SessionOrchestration/Sources/SessionOrchestrationImpl/SessionOrchestration+Saga+Own.swift",
                    encoding: .utf8
                ).split(separator: "\n", omittingEmptySubsequences: false)
                let lines = source[max(0, asked.line - 2)...min(source.count - 1, asked.line + 1)]
                #expect(lines.contains { $0.contains("actions") || $0.contains("validateSession") }, "line \(asked.line)")
                let failed = try await tap.effect("authFailed") { $0.cause == asked.id }
                #expect(failed.module == "Auth")
                // Both were built with it; one emits the effects of another's interface.
                let contract = try Self.fingerprint(of: "Auth.Business.Effect", in: "Auth/Sources/AuthReluxInt/Auth.contract.json")
                #expect(contract != nil)
                #expect(asked.contract == contract)
                #expect(failed.contract == contract)

                let words = try await tap.end()
                let last = try #require(words.split(separator: "\n").last).split(separator: " ").map(String.init)
                #expect(last.count >= 6 && last[0] == "seen" && last[2] == "shown" && last[4] == "dropped", "\(words)")
                #expect(Int(last[3]) == tap.effects.count)
                #expect((Int(last[1]) ?? 0) >= tap.effects.count)
                #expect(last[5] == "0")
            }
        }

        /// As the file beside the interface has it.
        private static func fingerprint(of topic: String, in file: String) throws -> String? {
            let text = try String(contentsOfFile: "\(Built.repository)/Plugins/\(file)", encoding: .utf8)
            guard case .array(let topics)? = try JSONValue(parsing: text)["topics"] else { return nil }
            return topics.first { $0["topic"]?.text == topic }?["fingerprint"]?.text
        }

        @Test(arguments: Placement.allCases)
        func `a tap with a count ends by itself, and shows people what programs get as JSON`(_ placement: Placement) async throws {
            try await Cluster.play(placement) { cluster in
                let (cli, client) = (cluster.cli, cluster.client)
                let counted = Task { try await cli("tap", "Profile.**", "-n", "2", "--color", "never", "--timeout", "60s") }
                let objects = Task { try await cli("tap", "Profile.**", "-n", "2", "--json", "--timeout", "60s") }
                let feeding = Task {
                    while !Task.isCancelled {
                        _ = try await cli("effect", "send", "Profile.Business.Effect.fetchProfile", #"{"userId": "u7"}"#)
                    }
                }
                let (text, json) = (try await counted.value, try await objects.value)
                feeding.cancel()
                _ = try? await feeding.value
                _ = try await client.status()
                #expect(text.status == 0, "\(text)")
                #expect(text.lines.count == 2)
                #expect(text.lines.allSatisfy { $0.contains("Profile.Business.Effect.") && $0.contains("#") }, "\(text)")
                #expect(text.stderr.contains("shown 2"))
                #expect(json.status == 0)
                let effects = try json.lines.map { try JSONValue(parsing: $0) }.compactMap(Tap.Effect.init)
                #expect(effects.count == 2)
                #expect(effects.allSatisfy { $0.topic == "Profile.Business.Effect" })
            }
        }
    }
}
