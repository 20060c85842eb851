import Foundation
import Glibc
import ReluxControl
import ReluxTestKit
import ReluxWire
import Testing

@testable import ReluxCLI

extension EndToEnd {
    @Suite struct FullDisk {
        @Test(.enabled(if: SmallDisk.isAllowed, "a tmpfs needs root"))
        func `on a disk without room nothing that was accepted is lost, everybody says why they wait, and it goes on with room`()
            async throws
        {
            var disk: SmallDisk?
            defer { disk?.unmount() }
            let settings = DurablePlugins.quick + ["journal:", "  reserve-mebibytes: 8"]
            try await Cluster.play(
                modules: ["Counter", "AlphaOrchestration"], packed: try await DurablePlugins.shared(),
                environment: ["E2E_DIARY": "@/diary"], settings: settings, waitsUntilReady: false
            ) { cluster in
                // The diary is on another disk: it is the test's.
                disk = SmallDisk.mounted(on: cluster.run.path, megabytes: 48, for: "all of a full disk")
                let small = try #require(disk)
                let diary = Diary(path: cluster.directory + "/diary")
                try await cluster.up()
                let writer = Writer.adding("one", on: cluster, pause: 200)
                let driver = Writer.series("Alpha", on: cluster, count: 20, pause: 100)
                try await writer.answers(500)
                try await driver.answers(5)

                try await Self.waitsBelowTheReserve(cluster, small)
                small.empty()
                try await writer.answers(200)
                _ = try await cluster.client.status(when: "nobody to wait for the disk") { !$0.noteLines.contains { $0.hasPrefix("disk: ") } }

                // Full to the last page, and a process dies meanwhile.
                try small.fill()
                _ = try await cluster.client.status(when: "the broker to wait for the disk") { $0.noteLines.contains { $0.hasPrefix("disk: the broker") } }
                let counter = try await cluster.client.module("Counter").pid
                try small.fill()
                kill(counter, SIGKILL)
                // Its next life begins when the registry can remember it, and its journal can be opened: whichever finds no room says so. What a
                // process deletes frees pages, which are taken again.
                try await cluster.client.isTold("free room on this disk", of: "Counter") { try small.fill() }
                small.empty()
                try await cluster.client.module("Counter", is: .ready)
                try await writer.answers(200)
                try await driver.answers(5)
                try await writer.stop()
                try await driver.stop()
                let books = try Books(diary, writers: [writer], drivers: [driver])
                #expect(books.isBalanced, "\(books)")
                #expect(try await Counting.totals(cluster) == books.totals)
                let audit = try await cluster.cli("audit")
                #expect(audit.status == 0, "\(audit)")
                // Before the disk goes.
                try await cluster.end()
                try await cluster.up()
                #expect(try await Counting.totals(cluster) == books.totals)
            }
        }

        @Test(.enabled(if: SmallDisk.isAllowed, "a tmpfs needs root"))
        func `a broker that starts on a disk without room waits for some, and is the only one that has to know what it has read`() async throws {
            var disk: SmallDisk?
            defer { disk?.unmount() }
            try await Cluster.play(
                modules: ["Counter", "AlphaOrchestration"], packed: try await DurablePlugins.shared(),
                environment: ["E2E_DIARY": "@/diary"], settings: DurablePlugins.quick + ["journal:", "  reserve-mebibytes: 0"], waitsUntilReady: false
            ) { cluster in
                disk = SmallDisk.mounted(on: cluster.run.path, megabytes: 48, for: "all of a full disk")
                let small = try #require(disk)
                let diary = Diary(path: cluster.directory + "/diary")
                try await cluster.up()
                let driver = Writer.series("Alpha", on: cluster, count: 20, pause: 100)
                try await driver.answers(5)
                try small.fill()
                let broker = try #require(Faults.pid(Faults.broker, in: cluster.run.path))
                kill(broker, SIGKILL)
                unlink("\(cluster.run.registry).new")
                // Made before the first byte finds no room.
                try await offPool {
                    try poll(for: "another broker to write the registry") { access("\(cluster.run.registry).new", F_OK) == 0 ? true : nil }
                }
                let next = try #require(Faults.pid(Faults.broker, in: cluster.run.path))
                for path in [cluster.run.registry, "\(cluster.run.registry).lock"] { unlink(path) }
                small.empty()
                // Enough for the registry, and not for a journal.
                try small.fill(leaving: 64 << 10)
                try await offPool {
                    try poll(for: "the broker to write the registry") { access(cluster.run.registry, F_OK) == 0 ? true : nil }
                }
                small.empty()
                try await cluster.client.module("Counter", is: .ready)
                try await driver.answers(5)
                #expect(Faults.pid(Faults.broker, in: cluster.run.path) == next)
                try await driver.stop()
                let books = try Books(diary, writers: [], drivers: [driver])
                #expect(books.isBalanced, "\(books)")
            }
        }

        /// Less than the reserve, and enough for what handlers say.
        private static func waitsBelowTheReserve(_ cluster: Cluster, _ disk: SmallDisk) async throws {
            try disk.fill(leaving: 4 << 20)
            let status = try await cluster.client.status(when: "sources to wait") { status in
                status.noteLines.contains { $0.hasPrefix("disk: the broker") && $0.contains("the reserve is 8.0 MiB") }
            }
            #expect(status.modules.allSatisfy { $0.state.phase == .ready })
            // A client that does not want to wait is refused, and nothing was accepted.
            let payload = ByteString(try CBOR.encode(Counting.Effect.add(publisher: "hasty", run: 0, number: 1, pause: 0)))
            let request = ClientRequest.Body.emit(topic: Counting.topic, payload: payload, deadlineMilliseconds: 300, label: "hasty")
            let refusal = await #expect(throws: CLIError.self) { try await cluster.client.ask(request) }
            #expect(refusal?.code == "refused.ingress.overloaded")
            #expect(refusal?.message.contains(cluster.run.journals) == true && refusal?.message.contains("journal.reserve-mebibytes") == true)
            let shown = try await cluster.cli("status")
            #expect(shown.stdout.contains("disk: the broker: \(cluster.run.journals)"), "\(shown)")
            let doctor = try await cluster.cli("doctor")
            #expect(doctor.status == 1 && doctor.stdout.contains("the reserve is 8.0 MiB"), "\(doctor)")
        }
    }
}
