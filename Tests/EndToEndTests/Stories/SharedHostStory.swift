import Foundation
import ReluxBus
import ReluxWire
import Testing

extension EndToEnd {
    @Suite struct SharedHost {
        @Test func `a module leaves a shared host and returns to it, and nobody restarts unasked`() async throws {
            try await Cluster.play(.sharedDomains) { cluster in
                let before = try await cluster.client.module("Notes", is: .ready)
                let unload = try await cluster.cli("module", "unload", "Notes", "--yes")
                #expect(unload.status == 0, "\(unload)")
                let load = try await cluster.cli("module", "load", "Notes", "--host", "domains")
                #expect(load.status == 0, "\(load)")
                let after = try await cluster.client.module("Notes", is: .ready)
                #expect(after.pid == before.pid && after.epoch > before.epoch)
                let search = try await cluster.cli("effect", "send", "Notes.Business.Effect.close")
                #expect(search.status == 0, "\(search)")

                let no = try await cluster.cli("module", "restart", "Notes")
                #expect(no.status == 6 && no.stderr.contains("Profile") && no.stderr.contains("--yes"), "\(no)")
                #expect(try await cluster.client.module("Notes").pid == before.pid)
                let yes = try await cluster.cli("module", "restart", "Notes", "--yes")
                #expect(yes.status == 0, "\(yes)")
                for name in Placement.domains {
                    let module = try await cluster.client.module(name, is: .ready)
                    #expect(module.pid != before.pid && module.restarts == 0, "\(name)")
                }
                #expect(try crashes(cluster).isEmpty)
            }
        }

        @Test func `an unload is the end of a host, not its death`() async throws {
            try await Cluster.play { cluster in
                let unload = try await cluster.cli("module", "unload", "Settings", "--yes")
                #expect(unload.status == 0, "\(unload)")
                let load = try await cluster.cli("module", "load", "Settings")
                #expect(load.status == 0, "\(load)")
                #expect(try await cluster.client.module("Settings", is: .ready).restarts == 0)
                #expect(try crashes(cluster).isEmpty)
            }
        }

        private func crashes(_ cluster: Cluster) throws -> [String] {
            try FileManager.default.contentsOfDirectory(atPath: cluster.run.crashes)
        }
    }
}
