import Foundation
import Glibc
@testable import ReluxCLI
import ReluxControl
import ReluxJournal
import ReluxTap
import ReluxTestKit
import ReluxWire
import Testing

/// Against journals on a disk, without a cluster.
@Suite struct JournalCommandTests {
    /// A run directory with a journal of Auth: two epochs, 30 effects in ten batches, and one of Notes.
    private struct Journals {
        let scratch = TemporaryDirectory(isMade: true)
        let run: RunDirectory

        init() throws {
            run = RunDirectory(path: scratch.path)
            try run.create()
            var environment = try JournalEnvironment.live()
            environment.processID = 4711
            environment.random = { 0x0123_4567_89ab_cdef }
            environment.wallMilliseconds = { 1_790_000_000_000 }
            var sequence: UInt64 = 0
            for epoch in 1...2 as ClosedRange<UInt64> {
                let journal = try JournalWriter(
                    directory: run.journal(of: "Auth"), module: "Auth", epoch: Epoch(epoch), environment: environment)
                for _ in 0..<5 {
                    var builder = JournalRunBuilder(topic: "Auth.Business.Effect")
                    for _ in 0..<3 {
                        sequence += 1
                        let record = WireRecord.effect(
                            EffectRecord(position: sequence, sequence: sequence, caseName: "login", payload: [0xa0]))
                        _ = try builder.append(record, sequence: sequence, position: sequence)
                    }
                    let run = builder.finish()
                    _ = try journal.append([#require(run)])
                }
                if epoch == 1 { journal.close() } else { try journal.seal() }
            }
            try JournalWriter(directory: run.journal(of: "Notes"), module: "Notes", epoch: Epoch(7), environment: environment).close()
        }

        /// Status, data and talk of a command, without what differs from machine to machine.
        func output(_ arguments: [String]) -> (ReluxCLI.ExitStatus, String, String) {
            let console = TestConsole()
            let status = console.run(["journal"] + arguments + ["--run", scratch.path])
            func clean(_ text: String) -> String { text.replacingOccurrences(of: scratch.path, with: "RUN") }
            return (status, clean(console.out), clean(console.talk))
        }

        /// Flips a bit of the third batch of Auth's first segment.
        func damage() throws {
            let file = run.journal(of: "Auth") + "/0000000000000001.seg"
            var bytes = try Data(contentsOf: URL(fileURLWithPath: file))
            bytes[650] ^= 1
            try bytes.write(to: URL(fileURLWithPath: file))
        }
    }

    @Test func `without journals the list is empty`() throws {
        let scratch = TemporaryDirectory(isMade: true)
        let console = TestConsole()
        #expect(console.run(["journal", "ls", "--run", scratch.path]) == .ok)
        #expect(console.out.isEmpty)
        #expect(console.talk == "there are no journals in \(scratch.path)/journals")
    }

    @Test func `the list has each journal with its size`() throws {
        let journals = try Journals()
        let (status, out, _) = journals.output(["ls", "-o", "name"])
        #expect(status == .ok)
        #expect(out == "Auth\nNotes")
        let json = try JSONValue(parsing: journals.output(["ls", "--json"]).1)
        #expect(json["schema"] == "relux.journals/1")
        guard case .array(let items)? = json["journals"] else { throw CLIError(.failed, "test", "no list") }
        #expect(items.map { $0["segments"] } == [2, 1])
        #expect(items.map { $0["epoch"] } == [2, 7])
        #expect(items.map { $0["lastPid"] } == [4711, 4711])
    }

    @Test func `a sound journal is shown with its segments, streams and batches`() throws {
        let journals = try Journals()
        let (status, out, _) = journals.output(["show", "Auth", "-n", "4"])
        #expect(status == .ok)
        try expectGolden(out, "JournalCommandTests/show")
        let json = journals.output(["show", "Auth", "--json"])
        #expect(json.0 == .ok)
        try expectGolden(json.1, "JournalCommandTests/show-json")
        try expectGolden(journals.output(["ls", "--json"]).1, "JournalCommandTests/ls-json")
    }

    @Test func `numbers of a journal are shown to programs with their parts`() throws {
        let journals = try Journals()
        try journals.damage()
        try expectGolden(journals.output(["verify", "Auth", "--json"]).1, "JournalCommandTests/verify-json")
        try expectGolden(journals.output(["repair", "Auth", "--json"]).1, "JournalCommandTests/repair-json")
        let members = JSONValue.members(ofNumber: Epoch(3).start + 42, as: "last")
        #expect(JSONValue.object(members).text() == #"{"last":3298534883370,"lastLife":3,"lastInLife":42}"#)
    }

    @Test func `verify says sound, or where it is damaged`() throws {
        let journals = try Journals()
        var (status, out, _) = journals.output(["verify"])
        #expect(status == .ok)
        #expect(out == "Auth  sound, sealed  2 segments  30 records\nNotes  sound  1 segment  0 records")
        try journals.damage()
        (status, out, _) = journals.output(["verify", "Auth"])
        #expect(status == .failed)
        try expectGolden(out, "JournalCommandTests/verify-damaged")
        #expect(journals.output(["verify", "-o", "name"]).1 == "Auth")
    }

    @Test func `repair prints its plan, and does it when the loss is accepted`() throws {
        let journals = try Journals()
        let sound = journals.output(["repair", "Auth"])
        #expect(sound.0 == .ok)
        #expect(sound.1.isEmpty && sound.2 == "Auth is sound; nothing was changed")
        try journals.damage()
        let (status, out, talk) = journals.output(["repair", "Auth"])
        #expect(status == .refused)
        #expect(talk == "nothing was changed; to lose what is named here, say --accept-loss")
        try expectGolden(out, "JournalCommandTests/repair-plan")
        #expect(journals.output(["verify", "Auth"]).0 == .failed)
        let done = journals.output(["repair", "Auth", "--accept-loss", "--json"])
        #expect(done.0 == .ok)
        let json = try JSONValue(parsing: done.1)
        #expect(json["done"] == true)
        let verified = journals.output(["verify", "Auth"])
        #expect(verified.0 == .ok)
        #expect(verified.1 == "Auth  sound, 2 holes  3 segments  27 records")
        #expect(journals.output(["show", "Auth"]).1.contains("lost      Auth.Business.Effect 7...9"))
    }

    @Test func `a live writer refuses the repair by its pid`() throws {
        let journals = try Journals()
        let writer = try JournalWriter(
            directory: journals.run.journal(of: "Notes"), module: "Notes", epoch: Epoch(8), environment: try .live())
        let (status, _, talk) = journals.output(["repair", "Notes", "--accept-loss"])
        #expect(status == .refused)
        #expect(talk.contains("process \(getpid()) (epoch 8) writes this journal"))
        writer.close()
    }

    @Test func `a module without a journal ends with 3 and the nearest name`() throws {
        let journals = try Journals()
        for verb in ["show", "verify", "repair"] {
            let (status, _, talk) = journals.output([verb, "Notse"])
            #expect(status == .notFound)
            #expect(talk.contains("there is no journal of 'Notse' in RUN/journals"))
            #expect(talk.contains("Notes"))
        }
        #expect(journals.output(["show", "No tes"]).0 == .usage)
    }
}
