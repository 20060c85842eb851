import Foundation
import Relux
import ReluxControl
import ReluxTestKit
import ReluxWire
import Testing

extension EndToEnd {
    /// Somebody puts back what one party had on its disk last week, while the others go on.
    @Suite struct OlderCopies {
        @Test func `an older copy of a journal or of the registry gives no number out twice, keeps nobody waiting, and what is lost is named`()
            async throws
        {
            try await DurablePlugins.play([]) { cluster, _ in
                try await Self.add(1...5, on: cluster)
                try await cluster.end()
                let (ingress, counter, registry) = (cluster.run.journal(of: "Cluster"), cluster.run.journal(of: "Counter"), cluster.run.registry)
                for path in [ingress, counter, registry] { try FileManager.default.copyItem(atPath: path, toPath: Self.week(path, cluster)) }
                try await cluster.up()
                try await Self.add(6...15, on: cluster)
                #expect(try await Counting.totals(cluster).count == 15)
                try await cluster.end()

                // A publisher's: what it says now has numbers of its own, and is handled.
                try Self.putBack(ingress, cluster)
                try await cluster.up()
                try await Self.add(16...20, on: cluster)
                #expect(try await Counting.totals(cluster).count == 20)
                try await Self.expect(cluster, "the journal of Cluster", "\(Counting.topic) from ", "is lost")
                try await cluster.end()

                // A recipient's: its state goes back with it, and of what it had settled nothing is handled again.
                try Self.putBack(counter, cluster)
                try await cluster.up()
                try await Self.add(21...25, on: cluster)
                #expect(try await Counting.totals(cluster) == Counting.Totals(count: 10, sum: 15 + 115))
                try await Self.expect(cluster, "the journal of Counter", "its settlements for Cluster from ", "is lost")
                try await cluster.end()

                // The registry's: its epochs go on behind those of the journals.
                let before = try await Self.epoch(cluster)
                try await cluster.end()
                try Self.putBack(registry, cluster)
                try await cluster.up()
                #expect(try await cluster.client.module("Counter").epoch > before)
                try await Self.add(26...30, on: cluster)
                #expect(try await Counting.totals(cluster).count == 15)
                try await Self.expect(cluster, "the registry's file is older than the journal of Counter")
            }
        }

        /// The last life of the module, or the broker, is in neither: only those know of it who have heard it.
        @Test(arguments: ["Counter", "Cluster"])
        func `the registry and one journal, exactly a life older, give no number out twice, keep nobody waiting, and what is lost is named`(
            _ module: String
        ) async throws {
            try await DurablePlugins.play([]) { cluster, _ in
                try await Self.add(1...5, on: cluster)
                try await cluster.end()
                let older = [cluster.run.journal(of: module), cluster.run.registry]
                for path in older { try FileManager.default.copyItem(atPath: path, toPath: Self.week(path, cluster)) }
                try await cluster.up()
                try await Self.add(6...15, on: cluster)
                let last = try await cluster.client.module("Counter").epoch
                try await cluster.end()

                for path in older { try Self.putBack(path, cluster) }
                try await cluster.up()
                if module == "Counter" { #expect(try await cluster.client.module("Counter").epoch > last) }
                try await Self.add(16...20, on: cluster)
                #expect(try await Counting.totals(cluster).count == (module == "Counter" ? 10 : 20))
                try await Self.expect(cluster, "has heard \(module)", "both are older copies")
                try await Self.expect(cluster, "the journal of \(module)", "is lost")
            }
        }

        @Test func `older copies of all journals beside a younger registry are named by every command, with their range`() async throws {
            try await DurablePlugins.play([]) { cluster, _ in
                try await Self.add(1...5, on: cluster)
                try await cluster.end()
                let journals = cluster.run.journals
                try FileManager.default.copyItem(atPath: journals, toPath: Self.week(journals, cluster))
                try await cluster.up()
                try await Self.add(6...15, on: cluster)
                try await cluster.end()
                let last = try await Self.epoch(cluster)
                try await cluster.end()

                try Self.putBack(journals, cluster)
                let words = ["the journal of Counter in \(journals) is an older copy: it ends with life 1, and the registry knows of life \(last)", "of Cluster in"]
                for command in [["up", "--plan"], ["audit"], ["doctor"]] {
                    let told = try await cluster.cli.relux(command)
                    #expect(words.allSatisfy(told.stdout.contains), "\(told)")
                }
                let up = try await cluster.up()
                #expect(words.allSatisfy(up.stderr.contains), "\(up)")
                for module in ["Counter", "Cluster"] {
                    try await Self.expect(cluster, "the journal of \(module)", "all that it said and settled from 2.0 to ", "is lost")
                }
                #expect(try await Counting.totals(cluster).count == 5)
                try await cluster.end()
                // It was told, and nothing has happened since.
                try await cluster.up()
                #expect(try await !cluster.cli("status").stdout.contains("journal: "))
            }
        }

        @Test func `a module's own database may be older or younger than the journals: nothing is handled again for it, and no id in it names two effects`()
            async throws
        {
            try await DurablePlugins.play([]) { cluster, diary in
                try await Self.add(1...5, on: cluster)
                try await cluster.end()
                let journals = [cluster.run.journal(of: "Cluster"), cluster.run.journal(of: "Counter")]
                for path in journals + [diary.path] { try FileManager.default.copyItem(atPath: path, toPath: Self.week(path, cluster)) }
                try await cluster.up()
                try await Self.add(6...10, on: cluster)
                try await cluster.end()

                // Younger: it has lines that no journal knows of.
                for path in journals { try Self.putBack(path, cluster) }
                try await cluster.up()
                try await Self.add(11...15, on: cluster)
                #expect(try await Counting.totals(cluster).count == 10)
                let younger = try diary.lines().filter { $0.what == "end" }
                #expect(younger.map(\.key.number) == Array(1...15))
                #expect(Set(younger.map(\.effect)).count == 15)
                try await cluster.end()

                // Older: the journals know of lines that it has lost.
                try Self.putBack(diary.path, cluster)
                try await cluster.up()
                try await Self.add(16...20, on: cluster)
                #expect(try await Counting.totals(cluster).count == 15)
                #expect(try diary.lines().filter { $0.what == "end" }.map(\.key.number) == Array(1...5) + Array(16...20))
                let audit = try await cluster.cli("audit")
                #expect(audit.status == 0 && audit.stdout.contains("BALANCED"), "\(audit)")
            }
        }

        @Test func `an older copy of a module's database is named, and no revision in it is given out twice`() async throws {
            try await Cluster.play(modules: ["ErrorHandling", "Navigation", "Notes"]) { cluster in
                let folder = cluster.run.state(of: "Notes")
                #expect(try await Self.note("n1", on: cluster) == 1)
                try await cluster.end()
                try FileManager.default.copyItem(atPath: folder, toPath: Self.week(folder, cluster))
                try await cluster.up()
                let status = try await cluster.cli("status").stdout
                #expect(!status.contains("files of Notes"), "\(status)")
                #expect(try await Self.note("n2", on: cluster) == 2)
                #expect(try await Self.note("n3", on: cluster) == 3)
                try await cluster.end()

                try Self.putBack(folder, cluster)
                try await cluster.up()
                #expect(try await Self.note("n4", on: cluster) == 4)
                _ = try await cluster.client.status(when: "the copy to be named") { $0.noteLines.contains { $0.hasPrefix("files: files of Notes") } }
                for command in ["status", "doctor"] {
                    let told = try await cluster.cli(command).stdout
                    // Which of them are other files, and which were written anew, is the disk's affair: it may give a number out again.
                    #expect(told.contains("files of Notes in \(folder) are not those that its last life has left ("), "\(told)")
                }
                try await cluster.end()
                // It was told, and nothing has happened since.
                try await cluster.up()
                #expect(try await !cluster.cli("status").stdout.contains("files of Notes"))
            }
        }

        /// Saves a note of one user, and answers with its revision.
        private static func note(_ id: String, on cluster: Cluster) async throws -> Int64? {
            let opened = try await cluster.cli(
                "effect", "send", "Notes.Business.Effect.sync", #"{"context": {"isAuthenticated": true, "userId": "u1"}}"#)
            #expect(opened.status == 0, "\(opened)")
            let saved = try await cluster.cli(
                "effect", "send", "Notes.Business.Effect.upsert", #"{"id": "\#(id)", "title": "t", "body": "b"}"#, "-o", "json")
            #expect(saved.status == 0, "\(saved)")
            let found = saved.stdout.split(separator: #""revision":"#).dropFirst().first?.drop { $0 == " " }.prefix { $0.isNumber }
            return found.flatMap { Int64($0) }
        }

        private static func epoch(_ cluster: Cluster) async throws -> Epoch {
            try await cluster.up()
            return try await cluster.client.module("Counter").epoch
        }

        /// Each of them is answered, by the counter.
        private static func add(_ numbers: ClosedRange<Int>, on cluster: Cluster, _ location: SourceLocation = #_sourceLocation) async throws {
            for number in numbers {
                let payload = ByteString(try CBOR.encode(Counting.Effect.add(publisher: "one", run: 0, number: number, pause: 0)))
                let answer = try await cluster.client.talk { try Client.emit(Counting.topic, payload, "one", watchdog, $0) }
                #expect(answer.outcomes.map(\.status) == [.succeeded], "\(number): \(answer)", sourceLocation: location)
            }
        }

        /// Where the copy of last week lies.
        private static func week(_ path: String, _ cluster: Cluster) -> String {
            cluster.directory + "/week-" + URL(fileURLWithPath: path).lastPathComponent
        }

        private static func putBack(_ path: String, _ cluster: Cluster) throws {
            try FileManager.default.removeItem(atPath: path)
            try FileManager.default.copyItem(atPath: week(path, cluster), toPath: path)
        }

        /// `status` and `doctor` say so, and the books balance.
        private static func expect(_ cluster: Cluster, _ words: String..., location: SourceLocation = #_sourceLocation) async throws {
            _ = try await cluster.client.status(when: "the loss to be named") { status in
                status.noteLines.contains { note in note.hasPrefix("journal: ") && words.allSatisfy(note.contains) }
            }
            for command in ["status", "doctor"] {
                let told = try await cluster.cli(command).stdout
                // Where many are of a kind, the status has one line with the modules' names.
                let module = words[0].split(separator: " ").last.map(String.init) ?? ""
                let isTold = told.split(separator: "\n").contains { line in
                    command == "status" ? line.hasPrefix("journal: ") && line.contains(module) : words.allSatisfy(line.contains)
                }
                #expect(isTold, "\(told)", sourceLocation: location)
            }
            let audit = try await cluster.cli("audit")
            #expect(audit.status == 0 && audit.stdout.contains("BALANCED"), "\(audit)", sourceLocation: location)
            if words[0].hasPrefix("the journal") {
                let isNamed = audit.stdout.split(separator: "\n").contains { line in line.hasPrefix("gone ") && words.allSatisfy(line.contains) }
                #expect(isNamed, "\(audit)", sourceLocation: location)
            }
        }
    }
}
