import Foundation
import ReluxControl
import ReluxTestKit
import ReluxWire
import Testing

extension EndToEnd {
    @Suite struct Services {
        @Test func `the same packed plugin runs with its real or its mock services, as its entry says`() async throws {
            var versions: Set<String> = []
            for services in ["real", "mock"] {
                try await Cluster.play(
                    modules: ["ErrorHandling", "Navigation", "Notes"], entries: ["Notes": ["services: \(services)"]]
                ) { cluster in
                    versions.insert(try FileManager.default.destinationOfSymbolicLink(atPath: cluster.packed + "/Notes/current"))
                    try await opened(cluster)
                    let saved = try await cluster.cli(
                        "effect", "send", "Notes.Business.Effect.upsert", #"{"id": "n1", "title": "Shopping", "body": "milk and bread"}"#)
                    #expect(saved.status == 0, "\(saved)")
                    let found = try await cluster.cli("effect", "send", "Notes.Business.Effect.search", #"{"query": "bre"}"#)
                    #expect(found.status == 0 && found.stdout.contains("Shopping"), "\(found)")

                    // The difference is what stays: a file, or nothing.
                    let file = cluster.run.state + "/Notes/notes.sqlite"
                    #expect(FileManager.default.fileExists(atPath: file) == (services == "real"))
                    let restarted = try await cluster.cli("module", "restart", "Notes")
                    #expect(restarted.status == 0, "\(restarted)")
                    try await cluster.client.module("Notes", is: .ready)
                    try await opened(cluster)
                    let listed = try await cluster.cli("effect", "send", "Notes.Business.Effect.list")
                    #expect(listed.status == 0 && listed.stdout.contains("Shopping") == (services == "real"), "\(listed)")
                }
            }
            #expect(versions.count == 1)
        }

        private func opened(_ cluster: Cluster) async throws {
            let sync = try await cluster.cli(
                "effect", "send", "Notes.Business.Effect.sync", #"{"context": {"isAuthenticated": true, "userId": "u1"}}"#)
            #expect(sync.status == 0, "\(sync)")
        }

        @Test func `a module that has no mock, and one that is told nonsense, are refused by name`() async throws {
            try await Cluster.play(
                modules: ["ErrorHandling", "Navigation", "Profile"],
                entries: ["Navigation": ["services: mock"], "Profile": ["environment: {RELUX_SERVICES_Profile: fake}"]], waitsUntilReady: false
            ) { cluster in
                let up = try await cluster.cli("up", "--timeout", "5s")
                #expect(up.status != 0)
                try await cluster.client.module("ErrorHandling", is: .ready)
                let navigation = try await cluster.client.module("Navigation", is: .refused)
                #expect(navigation.state.why.contains("Navigation has services: mock") && navigation.state.why.contains("remove the key"))
                let profile = try await cluster.client.module("Profile", is: .refused)
                #expect(profile.state.why.contains("RELUX_SERVICES_Profile is \"fake\"; it takes real or mock"))
            }
        }
    }
}
