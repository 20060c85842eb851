import Foundation
import Glibc
import Relux
import ReluxControl
import ReluxJournal
import ReluxTestKit
import ReluxWire
import Testing

extension EndToEnd {
    @Suite struct BadJournals {
        @Test func `a journal that cannot be used stops its module alone, and says file, position and remedy`() async throws {
            var disk: SmallDisk?
            defer { disk?.unmount() }
            try await Cluster.play(settings: DurablePlugins.quick) { cluster in
                let load = Load(on: cluster, try Load.mixed(), seed: 81)
                try await load.answers(400)
                _ = try await load.stop()
                try await cluster.end()

                let damaged = try Self.damage(cluster.run.journal(of: "Profile"))
                let newer = try Self.makeNewer(cluster.run.journal(of: "Settings"))
                try Self.makeForeign(cluster.run.journal(of: "Notes"), of: cluster.run.journal(of: "Auth"))
                try Self.raiseEpoch(cluster.run.journal(of: "Auth"), of: "Auth")
                let lock = try Self.writer(cluster.run.journal(of: "SessionOrchestration"), of: "SessionOrchestration", epoch: 1000)
                let denied = cluster.run.journal(of: "DataOrchestration")
                try FileManager.default.moveItem(atPath: denied, toPath: denied + ".aside")
                disk = SmallDisk.mounted(on: denied, megabytes: 1, isReadOnly: true, for: "a journal on a disk that takes nothing")
                if disk == nil { try FileManager.default.moveItem(atPath: denied + ".aside", toPath: denied) }

                let up = try await cluster.cli("up", "--timeout", "1s")
                #expect(up.status != 0)
                try await Self.expect(cluster, "Profile", is: .refused, [damaged.file, "byte \(damaged.position)", "relux journal repair Profile"])
                try await Self.expect(cluster, "Settings", is: .refused, [newer, "byte ", "format"])
                try await Self.expect(cluster, "Notes", is: .refused, [cluster.run.journal(of: "Notes"), "Auth", "Notes"])
                // The broker goes on behind what the journals say, whatever its own file says: no journal is stale.
                #expect(try await cluster.client.module("Auth", is: .ready).epoch.rawValue > 1000)
                // A disk that takes nothing may take it later: it is waited for.
                if disk != nil { try await cluster.client.isTold("Read-only file system", of: "DataOrchestration") }
                // One whose predecessor still writes backs off until that has ended.
                try await cluster.client.isTold("process \(getpid())", of: "SessionOrchestration")
                try await Self.expect(cluster, "SessionOrchestration", is: nil, [cluster.run.journal(of: "SessionOrchestration")])
                for module in Placement.infrastructure { try await cluster.client.module(module, is: .ready) }

                // Each remedy is one.
                lock.close()
                let repair = try await cluster.cli("journal", "repair", "Profile", "--accept-loss")
                #expect(repair.status == 0, "\(repair)")
                for module in ["Settings", "Notes"] {
                    let directory = cluster.run.journal(of: module)
                    try FileManager.default.moveItem(atPath: directory, toPath: "\(cluster.directory)/\(module).aside")
                }
                if let disk {
                    disk.unmount()
                    try FileManager.default.removeItem(atPath: denied)
                    try FileManager.default.moveItem(atPath: denied + ".aside", toPath: denied)
                }
                try await cluster.end()
                disk = nil
                try FileManager.default.moveItem(
                    atPath: cluster.run.journal(of: "SessionOrchestration"), toPath: "\(cluster.directory)/SessionOrchestration.aside")
                try await cluster.up()
            }
        }

        /// The module is in the state, and `why-not` says all of the words.
        private static func expect(
            _ cluster: Cluster, _ module: String, is phase: ModuleState.Phase?, _ words: [String],
            _ location: SourceLocation = #_sourceLocation
        ) async throws {
            if let phase { try await cluster.client.module(module, is: phase) }
            let told = try await cluster.cli("module", "why-not", module)
            for word in words { #expect(told.stdout.contains(word), "\(word) in \(told)", sourceLocation: location) }
        }

        // MARK: What is wrong

        private static func segments(_ directory: String) throws -> [String] {
            try FileManager.default.contentsOfDirectory(atPath: directory).filter { $0.hasSuffix(".seg") }.sorted().map { "\(directory)/\($0)" }
        }

        private static func edit(_ file: String, _ body: (inout [UInt8]) throws -> Void) throws {
            var bytes = [UInt8](try Data(contentsOf: URL(fileURLWithPath: file)))
            try body(&bytes)
            try Data(bytes).write(to: URL(fileURLWithPath: file))
        }

        /// Flips a bit of the newest segment's first batch; more follows it there.
        private static func damage(_ directory: String) throws -> (file: String, position: Int) {
            guard let file = try segments(directory).last else { throw HarnessError("no segment in \(directory)") }
            try edit(file) { $0[256 + 40] ^= 0x10 }
            return (file, 256)
        }

        /// The header says that another release has written it.
        private static func makeNewer(_ directory: String) throws -> String {
            guard let file = try segments(directory).last else { throw HarnessError("no segment in \(directory)") }
            try edit(file) { bytes in
                bytes[8] = 0x7f
                let crc = CRC32C.checksum(bytes[0..<252])
                for place in 0..<4 { bytes[252 + place] = UInt8(truncatingIfNeeded: crc >> (24 - 8 * UInt32(place))) }
            }
            return file
        }

        /// Another module's journal lies under the name.
        private static func makeForeign(_ directory: String, of other: String) throws {
            for file in try segments(directory) { try FileManager.default.removeItem(atPath: file) }
            for file in try segments(other) {
                let name = URL(fileURLWithPath: file).lastPathComponent
                try FileManager.default.copyItem(atPath: file, toPath: "\(directory)/\(name)")
            }
        }

        private static func writer(_ directory: String, of module: ModuleID, epoch: UInt64) throws -> JournalWriter {
            try JournalWriter(directory: directory, module: module, epoch: Epoch(epoch), environment: try .live())
        }

        /// A later life has written there than the registry knows of.
        private static func raiseEpoch(_ directory: String, of module: ModuleID) throws {
            try writer(directory, of: module, epoch: 1000).close()
        }
    }
}
