import NotesModels
import NotesServiceImpl
import NotesServiceInt
import ReluxTestKit
import Testing

@Suite struct NotesServiceTests {
    typealias Failure = Notes.Business.Model.Failure
    typealias Note = Notes.Business.Model.Note
    let directory = TemporaryDirectory()

    func service() -> Notes.Business.Service {
        Notes.Business.Service(databasePath: directory.file("notes.sqlite"))
    }

    @Test func `in memory two spellings of one text are two users`() async throws {
        let service = Notes.Business.ServiceInMemory()
        _ = try await service.upsert(Note(id: "n", title: "t"), userId: "zo\u{e9}")
        #expect(try await service.list(userId: "zoe\u{301}").isEmpty)
    }

    @Test func `an older copy of the database gives out no revision that was given out, to nobody`() async throws {
        let week = service()
        for user in ["u1", "u2"] { #expect(try await week.upsert(Note(id: "n1", title: "1"), userId: user).revision == 1) }
        #expect(try await week.upsert(Note(id: "n1", title: "2"), userId: "u1").revision == 2)
        // The copy has 2 as its highest; 5 was given out since.
        try await week.skip(to: 5)
        let copy = service()
        try await copy.skip(to: 5)
        #expect(try await copy.upsert(Note(id: "n1", title: "3"), userId: "u1").revision == 6)
        #expect(try await copy.upsert(Note(id: "n1", title: "3"), userId: "u2").revision == 6)
        // It is no older copy any more, and goes on by itself.
        try await copy.skip(to: 6)
        #expect(try await copy.upsert(Note(id: "n2", title: "4"), userId: "u2").revision == 7)
    }

    @Test func `a revision of a note that was deleted with all others is not given out again`() async throws {
        let service = service()
        _ = try await service.upsert(Note(id: "n1", title: "1"), userId: "u1")
        #expect(try await service.delete(id: "n1", userId: "u1") == 2)
        try await service.deleteAll(userId: "u1")
        #expect(try await service.upsert(Note(id: "n1", title: "2"), userId: "u1").revision == 3)
    }

    @Test func `an upsert makes a note once and then changes it`() async throws {
        let first = service()
        let made = try await first.upsert(Note(id: "n1", title: "Milk"), userId: "u1")
        let changed = try await first.upsert(Note(id: "n1", title: "Milk and eggs"), userId: "u1")
        #expect(changed.revision > made.revision)
        #expect(try await service().list(userId: "u1") == [changed])
    }

    @Test func `notes are listed by title and belong to one user`() async throws {
        let service = service()
        for (id, title) in [("n1", "pears"), ("n2", "Apples"), ("n3", "oranges")] {
            _ = try await service.upsert(Note(id: id, title: title), userId: "u1")
        }
        _ = try await service.upsert(Note(id: "n1", title: "other"), userId: "u2")
        #expect(try await service.list(userId: "u1").map(\.title) == ["Apples", "oranges", "pears"])
        #expect(try await service.list(userId: "u2").map(\.title) == ["other"])
    }

    @Test func `search finds every word, by its beginning, in title and body of one user's notes`() async throws {
        let service = service()
        _ = try await service.upsert(Note(id: "n1", title: "Shopping", body: "Buy milk and bread"), userId: "u1")
        _ = try await service.upsert(Note(id: "n2", title: "Bread recipe", body: "Flour, water, salt"), userId: "u1")
        _ = try await service.upsert(Note(id: "n3", title: "Bread"), userId: "u2")
        #expect(try await service.search("bread", userId: "u1").map(\.id).sorted() == ["n1", "n2"])
        #expect(try await service.search("bre mil", userId: "u1").map(\.id) == ["n1"])
        #expect(try await service.search("BREAD water", userId: "u1").map(\.id) == ["n2"])
        #expect(try await service.search("cheese", userId: "u1").isEmpty)
    }

    @Test(arguments: ["", "   ", "\"", "*", "title:", "NEAR(", "a\" OR \"b", "^", "(((", "-"])
    func `search takes whatever somebody types`(query: String) async throws {
        let service = service()
        _ = try await service.upsert(Note(id: "n1", title: "anything"), userId: "u1")
        _ = try await service.search(query, userId: "u1")
    }

    @Test func `the index follows changes and deletions`() async throws {
        let service = service()
        _ = try await service.upsert(Note(id: "n1", title: "first"), userId: "u1")
        _ = try await service.upsert(Note(id: "n1", title: "second"), userId: "u1")
        #expect(try await service.search("first", userId: "u1").isEmpty)
        #expect(try await service.search("second", userId: "u1").count == 1)
        try await service.delete(id: "n1", userId: "u1")
        #expect(try await service.search("second", userId: "u1").isEmpty)
        #expect(try await service.list(userId: "u1").isEmpty)
    }

    @Test func `deleting what does not exist names it`() async throws {
        let service = service()
        _ = try await service.upsert(Note(id: "n1", title: "mine"), userId: "u1")
        for user in ["u1", "u2"] {
            let failure = await #expect(throws: Failure.self) { try await service.delete(id: "n2", userId: user) }
            #expect(failure?.code == .notFound)
            #expect(failure?.message.contains("n2") == true)
        }
        await #expect(throws: Failure.self) { try await service.delete(id: "n1", userId: "u2") }
    }

    @Test(arguments: [
        Note(id: "", title: "x"), Note(id: String(repeating: "i", count: 65), title: "x"),
        Note(id: "n1", title: String(repeating: "t", count: 201)),
        // One character to a reader.
        Note(id: "n1", title: "e" + String(repeating: "\u{301}", count: 200)),
        Note(id: "n1", title: "x", body: "e" + String(repeating: "\u{301}", count: 100_000)),
        Note(id: "n1", title: "x", body: String(repeating: "b", count: 100_001)),
    ])
    func `a note beyond a limit is refused`(note: Note) async {
        let failure = await #expect(throws: Failure.self) { try await service().upsert(note, userId: "u1") }
        #expect(failure?.code == .invalidNote)
    }

    @Test func `without a user every call is refused`() async {
        let service = service()
        await #expect(throws: Failure.notAuthenticated) { try await service.list(userId: "") }
        await #expect(throws: Failure.notAuthenticated) { try await service.search("x", userId: "") }
        await #expect(throws: Failure.notAuthenticated) { try await service.upsert(Note(id: "n", title: ""), userId: "") }
        await #expect(throws: Failure.notAuthenticated) { try await service.delete(id: "n", userId: "") }
    }

    @Test(arguments: ["\u{1}\u{7f}\u{85}", "tab\tline\r\n", "\u{FEFF}mark", "\u{202E}evil", "e\u{301} and \u{e9}", "می\u{200c}خواهم", "\u{1F469}\u{200D}\u{1F680}", "a\u{0}b", "\u{0}",
        "a" + String(repeating: "\u{301}", count: 4_000)])
    func `a text is kept to the byte or refused with a reason`(text: String) async throws {
        let service = service()
        for note in [Note(id: "n1", title: text), Note(id: "n2", title: "", body: text), Note(id: text, title: "")] {
            do throws(Failure) {
                _ = try await service.upsert(note, userId: "u1")
                let stored = try await service.list(userId: "u1").first { Array($0.id.utf8) == Array(note.id.utf8) }
                #expect(stored.map { Array($0.title.utf8) } == Array(note.title.utf8))
                #expect(stored.map { Array($0.body.utf8) } == Array(note.body.utf8))
            } catch {
                #expect(error.code == .invalidNote && error.message.contains("use") || error.message.contains("leave it out"))
            }
        }
    }

    @Test func `an id with more behind a NUL is nobody else's`() async throws {
        for service in [service(), Notes.Business.ServiceInMemory()] as [any Notes.Business.IService] {
            _ = try await service.upsert(Note(id: "n1", title: "kept"), userId: "u1")
            await #expect(throws: Failure.self) { try await service.delete(id: "n1\u{0}x", userId: "u1") }
            await #expect(throws: Failure.self) { try await service.list(userId: "u1\u{0}x") }
            await #expect(throws: Failure.self) { try await service.deleteAll(userId: "u1\u{0}x") }
            #expect(try await service.list(userId: "u1").map(\.title) == ["kept"])
        }
    }
}
