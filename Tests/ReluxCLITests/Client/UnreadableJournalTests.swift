import Foundation
@testable import ReluxCLI
import ReluxControl
import ReluxWire
import Testing

/// One journal that cannot be read hides none of the others.
@Suite struct UnreadableJournalTests {
    /// Flips a bit of Auth's journal; the letters are in that of Notes.
    private static func damage(_ books: SampleBooks, _ module: String = "Auth") throws {
        let file = books.run.journal(of: module) + "/0000000000000001.seg"
        var bytes = try Data(contentsOf: URL(fileURLWithPath: file))
        bytes[700] ^= 1
        try bytes.write(to: URL(fileURLWithPath: file))
    }

    /// A journal of Files whose directory leads to itself: root too cannot list it.
    private static func loop(_ books: SampleBooks) throws {
        let directory = books.run.journal(of: "Files")
        try FileManager.default.createSymbolicLink(atPath: directory, withDestinationPath: directory)
    }

    private static let damaged = "relux: the journal of Auth cannot be read: RUN/journals/Auth/0000000000000001.seg, byte "
    private static let looped = "relux: the journal of Files cannot be read: RUN/journals/Files: list failed: "

    @Test func `dead letters of the other journals are listed, and the damaged one is named`() throws {
        let books = try SampleBooks()
        try Self.damage(books)
        let (status, out, talk) = books.output(["dlq", "ls"])
        #expect(status == .failed)
        try expectGolden(out, "DeadLetterCommandTests/ls")
        #expect(talk.hasPrefix(Self.damaged) && talk.contains("relux journal repair Auth"), "\(talk)")
        let json = books.output(["dlq", "ls", "--json", "-q"])
        try expectGolden(json.out, "DeadLetterCommandTests/ls-json")
        #expect(try JSONValue(parsing: json.talk)["code"] == "journal.unreadable")
        #expect(json.status == .failed)
        #expect(books.output(["dlq", "ls", "--module", "Notes"]).status == .ok)
        let asked = books.output(["dlq", "ls", "--module", "Auth"])
        #expect(asked.status == .failed && asked.out.isEmpty && asked.talk.contains(Self.damaged), "\(asked.talk)")
    }

    @Test func `a dead letter that is found is shown with a note of the journal that cannot be read`() throws {
        let books = try SampleBooks()
        try Self.damage(books)
        try Self.loop(books)
        let (status, out, talk) = books.output(["dlq", "show", "Auth#9"])
        #expect(status == .ok)
        try expectGolden(out, "DeadLetterCommandTests/show-undecodable")
        #expect(talk.contains("note: the journal of Auth cannot be read: ") && talk.contains("note: the journal of Files cannot be read: "), "\(talk)")
        #expect(books.output(["dlq", "show", "Auth#9", "--module", "Notes"]).talk.isEmpty)
    }

    @Test func `a dead letter that no other journal has may be in the one that cannot be read`() throws {
        let books = try SampleBooks()
        try Self.damage(books)
        let (status, _, talk) = books.output(["dlq", "show", "Auth#7"])
        #expect(status == .failed)
        #expect(talk.hasPrefix(Self.damaged) && talk.contains("no journal that can be read has a dead letter of Auth#7; one may be in that of Auth"), "\(talk)")
    }

    @Test func `a directory that cannot be listed is named, and all others are looked at`() throws {
        let books = try SampleBooks()
        try Self.loop(books)
        var (status, out, talk) = books.output(["journal", "ls", "-o", "name"])
        #expect(status == .failed && out == "Auth\nNotes" && talk.hasPrefix(Self.looped), "\(out) \(talk)")
        (status, out, talk) = books.output(["journal", "verify"])
        #expect(status == .failed && out.contains("Auth  sound") && out.contains("Notes  sound") && talk.hasPrefix(Self.looped), "\(out) \(talk)")
        (status, out, talk) = books.output(["journal", "verify", "Files", "Auth"])
        #expect(status == .failed && out.contains("Auth  sound") && !out.contains("Notes") && talk.hasPrefix(Self.looped), "\(out) \(talk)")
        (status, out, talk) = books.output(["journal", "verify", "Auth"])
        #expect(status == .ok && talk.isEmpty, "\(talk)")
        (status, out, talk) = books.output(["journal", "show", "Auth"])
        #expect(status == .ok && talk.isEmpty, "\(talk)")
        (status, out, talk) = books.output(["journal", "show", "Files"])
        #expect(status == .failed && talk.hasPrefix(Self.looped), "\(talk)")
        (status, out, talk) = books.output(["dlq", "ls", "-o", "name"])
        #expect(status == .failed && out == "Auth#8\nAuth#9" && talk.hasPrefix(Self.looped), "\(out) \(talk)")
        (status, out, talk) = books.output(["audit"])
        #expect(status == .failed && out.contains("unreadable  Files: RUN/journals/Files: list failed") && out.contains("NOT PROVEN"), "\(out)")
        #expect(out.contains("accepted 10 "), "\(out)")
        (status, out, talk) = books.output(["audit", "-o", "name"])
        #expect(status == .failed && talk.hasPrefix(Self.looped), "\(talk)")
    }

    @Test func `doctor counts the journals that it can look at, and fails for the other`() throws {
        let books = try SampleBooks()
        try Self.loop(books)
        let findings = DoctorChecks.disk(books.run, nil).filter { $0.subject == "journals" }
        #expect(findings.map(\.verdict) == [.fail, .ok], "\(findings)")
    }
}
