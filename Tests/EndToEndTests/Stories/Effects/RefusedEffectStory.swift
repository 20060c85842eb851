import ReluxTestKit
import ReluxWire
import Testing

extension EndToEnd {
    @Suite struct RefusedEffects {
        @Test(arguments: Placement.allCases)
        func `effect send refuses what breaks the contract before anything is emitted`(_ placement: Placement) async throws {
            try await Cluster.play(placement) { cluster in
                let tap = try Tap(cluster)
                try await tap.hearing(cluster)
                let wrong: [(effect: String, json: String, says: [String])] = [
                    ("Profile.Business.Effect.fetchProfil", #"{"userId": "u7"}"#, ["fetchProfil", "did you mean 'fetchProfile'"]),
                    ("Profil.Business.Effect.fetchProfile", #"{"userId": "u7"}"#, ["Profil.Business.Effect", "Profile"]),
                    ("Profile.Business.Effect.fetchProfile", "{}", ["userId", "String"]),
                    ("Profile.Business.Effect.fetchProfile", #"{"userId": 7}"#, ["userId", "String"]),
                    ("Profile.Business.Effect.fetchProfile", #"{"userid": "u7"}"#, ["userId"]),
                    (
                        "Settings.Business.Effect.set", #"{"key": "font_size", "value": "12"}"#,
                        ["no value 'font_size'", "did you mean 'font-size'"]
                    ),
                ]
                for (effect, json, says) in wrong {
                    let outcome = try await cluster.cli("effect", "send", effect, json, "--label", "must-not-be")
                    #expect(outcome.status == 2 || outcome.status == 3, "\(outcome)")
                    #expect(outcome.stdout.isEmpty)
                    for word in says { #expect(outcome.stderr.contains(word), "\(outcome)") }
                }
                let dry = try await cluster.cli(
                    "effect", "send", "Profile.Business.Effect.clearProfile", "--dry-run", "--label", "must-not-be")
                #expect(dry.status == 0)
                // Streams are in order: what had been emitted before this would have been heard before it.
                _ = try await cluster.cli("effect", "send", "Profile.Business.Effect.clearProfile", "--label", "the-end")
                try await tap.effect("the end") { $0.label == "the-end" }
                #expect(!tap.effects.contains { $0.label == "must-not-be" })
                try await tap.end()
            }
        }
    }
}
