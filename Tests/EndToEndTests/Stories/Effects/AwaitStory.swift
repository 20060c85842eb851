import ReluxControl
import ReluxTestKit
import ReluxWire
import Testing

extension EndToEnd {
    @Suite struct Await {
        @Test(arguments: Placement.allCases)
        func `a login is awaited across four processes, each effect knows its cause`(_ placement: Placement) async throws {
            try await Cluster.play(placement) { cluster in
                let tap = try Tap(cluster)
                try await tap.hearing(cluster)

                let registered = try await cluster.cli(
                    "effect", "send", "Auth.Business.Effect.register", #"{"name": "anna"}"#, "--secret", "password", "--json",
                    input: "Vermeer-1665\n")
                #expect(registered.status == 0, "\(registered)")
                let result = try registered.json()
                let outcomes = (result["outcomes"] ?? .null).elements
                #expect(Set(outcomes.compactMap { $0["recipient"]?.text }) == ["Auth", "SessionOrchestration", "DataOrchestration"])
                #expect(outcomes.allSatisfy { $0["status"]?.text == "succeeded" })
                let user = try #require(outcomes.first { $0["recipient"]?.text == "Auth" }?["value"]?.text)

                let login = try await cluster.cli(
                    "effect", "send", "Auth.Business.Effect.login", #"{"name": "anna"}"#, "--secret", "password", "--json",
                    input: "Vermeer-1665\n")
                #expect(login.status == 0, "\(login)")
                let root = try #require(try login.json()["id"]?.text)

                // The effects that the login caused are settled before it is answered, so that all of them are on their way here.
                let loaded = try await tap.effect("settingsLoaded") { $0.caseName == "settingsLoaded" && $0.root == root }
                let synced = try await tap.effect("synced") { $0.caseName == "synced" && $0.root == root }
                let fetched = try await tap.effect("profileFetched") { $0.caseName == "profileFetched" && $0.root == root }
                for (leaf, modules) in [
                    (loaded, ["Settings", "SessionOrchestration", "Auth", "Cluster"]),
                    (fetched, ["Profile", "SessionOrchestration", "Auth", "Cluster"]),
                    (synced, ["Notes", "DataOrchestration", "Auth", "Cluster"]),
                ] {
                    let chain = try await chain(from: leaf, tap)
                    #expect(chain.map(\.module) == modules)
                    #expect(chain.map(\.hop) == [3, 2, 1, 0])
                    #expect(chain.last?.id == root)
                    #expect(chain.dropLast().allSatisfy { $0.root == root })
                    #expect(chain.dropLast().allSatisfy { $0.id.hasPrefix("\($0.module)#") })
                    if placement != .sharedDomains {
                        let pids = try await cluster.client.status().modules.filter { modules.contains($0.id.rawValue) }.map(\.pid)
                        #expect(Set(pids).count == 3, "and the broker's is the fourth")
                    }
                }
                #expect(synced.payload["synced"]?["userId"]?.text == user)
                try await tap.end()
            }
        }

        /// The effect and its causes, the root last.
        private func chain(from leaf: Tap.Effect, _ tap: Tap) async throws -> [Tap.Effect] {
            var chain = [leaf]
            while let cause = chain.last?.cause { chain.append(try await tap.effect("effect \(cause)") { $0.id == cause }) }
            return chain
        }

        @Test(arguments: Placement.allCases)
        func `a failure keeps the successes beside it`(_ placement: Placement) async throws {
            try await Cluster.play(placement) { cluster in
                let search = try await cluster.cli(
                    "effect", "send", "Notes.Business.Effect.search", #"{"query": "x"}"#, "--json")
                #expect(search.status == 1, "\(search)")
                let result = try search.json()
                #expect(result["succeeded"] == .bool(false))
                let statuses = Dictionary(
                    uniqueKeysWithValues: (result["outcomes"] ?? .null).elements.map { ($0["recipient"]?.text, $0["status"]?.text) })
                #expect(statuses == ["Notes": "failed", "DataOrchestration": "succeeded"])
            }
        }

        @Test(arguments: Placement.allCases)
        func `at the deadline the answer names who is missing, and the effect stays on its way`(_ placement: Placement) async throws {
            try await Cluster.play(placement) { cluster in
                let tap = try Tap(cluster)
                try await tap.hearing(cluster)
                let notes = try await cluster.client.module("Notes").pid
                let frozen = Freeze(notes)
                let answer = try await cluster.cli(
                    "effect", "send", "Notes.Business.Effect.close", "--deadline", "300ms", "--json")
                #expect(answer.status == 5, "\(answer)")
                let result = try answer.json()
                let statuses = Dictionary(
                    uniqueKeysWithValues: (result["outcomes"] ?? .null).elements.map { ($0["recipient"]?.text, $0["status"]?.text) })
                #expect(statuses == ["Notes": "unanswered", "DataOrchestration": "succeeded"])
                let id = try #require(result["id"]?.text)
                #expect(!tap.settlements.contains { $0.effect == id && $0.recipient == "Notes" })
                frozen.thaw()
                try await tap.wait("Notes to settle \(id)") { lines in
                    lines.compactMap(Tap.Settlement.init).contains { $0.effect == id && $0.recipient == "Notes" && $0.status == "succeeded" }
                }
                #expect(try await cluster.client.module("Notes").pid == notes)
                try await tap.end()
            }
        }

        @Test func `an effect without a recipient succeeds and is flagged unhandled`() async throws {
            try await Cluster.play(modules: ["ErrorHandling", "Navigation", "Auth", "Profile"]) { cluster in
                let tap = try Tap(cluster)
                // Nobody hears the broker's own effects here.
                for _ in 0..<200 where tap.effects.isEmpty {
                    _ = try await cluster.cli("module", "restart", "Profile")
                }
                let said = try await tap.effect("an effect of the broker") { $0.topic == "Cluster.Business.Effect" }
                #expect(said.isUnhandled)
                try await tap.end()
            }
        }
    }
}
