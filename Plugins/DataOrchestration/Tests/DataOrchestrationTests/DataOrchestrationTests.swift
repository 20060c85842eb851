import AuthReluxInt
import DataOrchestrationImpl
import FilesReluxInt
import NotesReluxInt
import Relux
import ReluxTestKit
import ReluxTestTraits
import SyncReluxInt
import Testing

@Suite(.noRefusals) struct DataOrchestrationTests {
    let recorder = RecordingLogger()
    let node: Relux

    init() async {
        node = await Relux(logger: recorder).register { DataOrchestration.Module() }
    }

    /// What the orchestrator answers to an effect, sorted, for a concurrent batch ends in any order.
    func answer(to effect: any Relux.Effect) async -> [String] {
        await node.dispatcher.actions { effect }
        return recorder.entries.filter { $0.module == "DataOrchestration" }.map(\.description).sorted()
    }

    @Test func `when somebody has logged in then all that is theirs is opened with the context that this needs`() async {
        let answer = await answer(to: Auth.Business.Effect.authSucceeded(userId: "u1"))
        #expect(answer.count == 3)
        #expect(answer.first == "Files.Business.Effect.open(userId: u1)")
        #expect(answer.dropFirst().first?.hasPrefix("Notes.Business.Effect.sync(context: ") == true)
        #expect(answer.dropFirst().first?.contains("u1") == true)
        #expect(answer.last == "Sync.Business.Effect.start(userId: u1)")
    }

    @Test func `when the session has ended then all of it is closed`() async {
        #expect(
            await answer(to: Auth.Business.Effect.loggedOut)
                == ["Files.Business.Effect.close", "Notes.Business.Effect.close", "Sync.Business.Effect.stop"])
    }

    @Test func `when an account is deleted then what is kept of it goes too`() async {
        #expect(
            await answer(to: Auth.Business.Effect.accountDeleted(userId: "u1")) == [
                "Files.Business.Effect.deleteAll(userId: u1)", "Notes.Business.Effect.deleteAll(userId: u1)",
                "Sync.Business.Effect.deleteAll(userId: u1)",
            ])
    }

    @Test func `what has changed in Notes and Files waits for the synchronisation`() async {
        let note = Notes.Business.Model.Note(id: "n1", title: "t")
        let file = Files.Business.Model.File(name: "a.txt", size: 1)
        let changes: [(effect: any Relux.Effect, words: [String])] = [
            (Notes.Business.Effect.upserted(note: note), ["notes", "n1", "false"]),
            (Notes.Business.Effect.deleted(id: "n1"), ["notes", "n1", "true"]),
            (Files.Business.Effect.saved(file: file, userId: "u1"), ["files", "a.txt", "false"]),
            (Files.Business.Effect.removed(name: "a.txt", userId: "u1"), ["files", "a.txt", "true"]),
        ]
        for (index, change) in changes.enumerated() {
            await node.dispatcher.actions { change.effect }
            let answers = recorder.entries.filter { $0.module == "DataOrchestration" }.map(\.description)
            #expect(answers.count == index + 1)
            #expect(answers.last?.hasPrefix("Sync.Business.Effect.enqueue(item: ") == true)
            for word in change.words { #expect(answers.last?.contains(word) == true, "\(answers)") }
        }
    }

    @Test func `when the notes have been exchanged then what else waits is sent`() async {
        let report = Notes.Business.Model.SyncReport(pushed: 0, pulled: 0)
        #expect(await answer(to: Notes.Business.Effect.synced(userId: "u1", report: report)) == ["Sync.Business.Effect.run"])
    }

    @Test func `when Files or Sync know of no session then Auth is asked`() async {
        #expect(await answer(to: Files.Business.Effect.filesFailed(error: .notAuthenticated)) == ["Auth.Business.Effect.validateSession"])
        #expect(await answer(to: Sync.Business.Effect.syncFailed(error: .notAuthenticated)).count == 2)
        let gone = Sync.Business.Model.Failure(code: .remote, message: "gone")
        #expect(await answer(to: Sync.Business.Effect.syncFailed(error: gone)).count == 2)
    }

    @Test func `when Notes know of no session then Auth is asked`() async {
        #expect(
            await answer(to: Notes.Business.Effect.notesFailed(error: .notAuthenticated))
                == ["Auth.Business.Effect.validateSession"])
    }

    @Test func `another failure of Notes is left alone`() async {
        let error = Notes.Business.Model.Failure(code: .storage, message: "no disk")
        #expect(await answer(to: Notes.Business.Effect.notesFailed(error: error)).isEmpty)
    }

    @Test func `it has no state and no flow`() {
        let module = DataOrchestration.Module()
        #expect(module.moduleID == "DataOrchestration")
        #expect(module.states.isEmpty && module.relays.isEmpty)
        #expect(module.sagas.allSatisfy { !($0 is any Relux.Flow) })
    }
}
