import Foundation
import ReluxControl
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

        /// The same code comes back to the image that is there: it is never closed, and never loaded twice.
        @Test func `fifty rounds of unload and load leave the host as it was, with one image`() async throws {
            try await Cluster.play(.sharedDomains) { cluster in
                let before = try await cluster.client.module("Notes", is: .ready)
                for round in 1...50 {
                    let unload = try await cluster.cli("module", "unload", "Notes", "--yes")
                    #expect(unload.status == 0, "round \(round): \(unload)")
                    let load = try await cluster.cli("module", "load", "Notes", "--host", "domains")
                    #expect(load.status == 0, "round \(round): \(load)")
                }
                let after = try await cluster.client.module("Notes", is: .ready)
                #expect(after.pid == before.pid && after.epoch.rawValue >= before.epoch.rawValue + 50)
                let file = try FileHandle(forReadingFrom: URL(fileURLWithPath: "/proc/\(after.pid)/maps"))
                let maps = String(decoding: try #require(try file.readToEnd()), as: UTF8.self)
                let images = maps.split(separator: "\n").compactMap { $0.split(separator: " ").last }
                    .filter { $0.hasSuffix("/libNotesReluxImpl.so") }
                #expect(Set(images).count == 1, "\(Set(images))")
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
