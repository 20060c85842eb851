import NotesModels
import NotesServiceImpl
import ReluxTestKit
import Testing

@Suite struct NotesSyncTests {
    typealias Failure = Notes.Business.Model.Failure
    typealias Note = Notes.Business.Model.Note
    typealias Context = Notes.Business.Model.SyncContext
    typealias Report = Notes.Business.Model.SyncReport

    let directory = TemporaryDirectory()
    let context = Context(isAuthenticated: true, userId: "u1")

    func device(_ name: String) -> Notes.Business.Service {
        Notes.Business.Service(databasePath: directory.file(name), replicaPath: directory.file("shared.sqlite"))
    }

    @Test func `two devices exchange their notes through the replica`() async throws {
        let (phone, desk) = (device("phone"), device("desk"))
        _ = try await phone.upsert(Note(id: "n1", title: "from the phone"), userId: "u1")
        _ = try await desk.upsert(Note(id: "n2", title: "from the desk"), userId: "u1")
        #expect(try await phone.sync(context) == Report(pushed: 1, pulled: 0))
        #expect(try await desk.sync(context) == Report(pushed: 1, pulled: 1))
        #expect(try await phone.sync(context) == Report(pushed: 0, pulled: 1))
        #expect(try await phone.list(userId: "u1") == desk.list(userId: "u1"))
        #expect(try await desk.search("phone", userId: "u1").map(\.id) == ["n1"])
        #expect(try await phone.sync(context) == Report(pushed: 0, pulled: 0))
    }

    @Test func `an older copy of the replica gets back what it has lost, and its numbers hide nothing`() async throws {
        let (phone, desk) = (device("phone"), device("desk"))
        _ = try await phone.upsert(Note(id: "n1", title: "old"), userId: "u1")
        for device in [phone, desk] { _ = try await device.sync(context) }
        _ = try await phone.upsert(Note(id: "n2", title: "new"), userId: "u1")
        _ = try await phone.sync(context)
        // As if the copy of before n2 had been put back; to these devices it is another file.
        let copy = { name in Notes.Business.Service(databasePath: self.directory.file(name), replicaPath: self.directory.file("week.sqlite")) }
        #expect(try await copy("phone").sync(context) == Report(pushed: 2, pulled: 0))
        #expect(try await copy("desk").sync(context).pulled == 1)
        #expect(try await copy("desk").list(userId: "u1").map(\.id) == ["n2", "n1"])
    }

    @Test func `a deletion reaches the other device`() async throws {
        let (phone, desk) = (device("phone"), device("desk"))
        _ = try await phone.upsert(Note(id: "n1", title: "short-lived"), userId: "u1")
        _ = try await phone.sync(context)
        _ = try await desk.sync(context)
        try await desk.delete(id: "n1", userId: "u1")
        #expect(try await desk.sync(context) == Report(pushed: 1, pulled: 0))
        #expect(try await phone.sync(context) == Report(pushed: 0, pulled: 1))
        #expect(try await phone.list(userId: "u1").isEmpty)
    }

    @Test func `two changes of one note end the same on both devices`() async throws {
        let (phone, desk) = (device("phone"), device("desk"))
        _ = try await phone.upsert(Note(id: "n1", title: "phone"), userId: "u1")
        _ = try await desk.upsert(Note(id: "n1", title: "desk"), userId: "u1")
        for device in [phone, desk, phone, desk] { _ = try await device.sync(context) }
        #expect(try await phone.list(userId: "u1").map(\.title) == ["phone"])
        #expect(try await desk.list(userId: "u1").map(\.title) == ["phone"])
        _ = try await desk.upsert(Note(id: "n1", title: "desk again"), userId: "u1")
        for device in [desk, phone] { _ = try await device.sync(context) }
        #expect(try await phone.list(userId: "u1").map(\.title) == ["desk again"])
    }

    @Test func `what one user wrote never reaches another`() async throws {
        let (phone, desk) = (device("phone"), device("desk"))
        _ = try await phone.upsert(Note(id: "n1", title: "private"), userId: "u1")
        _ = try await phone.sync(context)
        #expect(try await desk.sync(Context(isAuthenticated: true, userId: "u2")) == Report(pushed: 0, pulled: 0))
        #expect(try await desk.list(userId: "u2").isEmpty)
    }

    @Test func `deleting all of a user's notes leaves nothing, in the replica either`() async throws {
        let phone = device("phone")
        for user in ["u1", "u2"] {
            _ = try await phone.upsert(Note(id: "n1", title: "note of \(user)"), userId: user)
            _ = try await phone.sync(Context(isAuthenticated: true, userId: user))
        }
        try await phone.deleteAll(userId: "u1")
        #expect(try await phone.search("note", userId: "u1").isEmpty)
        #expect(try await device("desk").sync(context) == Report(pushed: 0, pulled: 0))
        #expect(try await phone.list(userId: "u2").count == 1)
    }

    @Test(arguments: [
        Context(isAuthenticated: false, userId: "u1"), Context(isAuthenticated: true, userId: nil),
        Context(isAuthenticated: true, userId: ""),
    ])
    func `a context without a session is refused`(context: Context) async {
        let phone = device("phone")
        await #expect(throws: Failure.notAuthenticated) { try await phone.sync(context) }
    }
}
