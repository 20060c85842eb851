import AuthReluxInt
import DataOrchestrationImpl
import NotesReluxInt
import Relux
import ReluxTestKit
import Testing

@Suite struct DataOrchestrationTests {
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

    @Test func `when somebody has logged in then their notes are synchronised with the context that this needs`() async {
        let answer = await answer(to: Auth.Business.Effect.authSucceeded(userId: "u1"))
        #expect(answer.count == 1)
        #expect(answer.first?.hasPrefix("Notes.Business.Effect.sync(context: ") == true)
        #expect(answer.first?.contains("u1") == true)
    }

    @Test func `when the session has ended then the notes are closed`() async {
        #expect(await answer(to: Auth.Business.Effect.loggedOut) == ["Notes.Business.Effect.close"])
    }

    @Test func `when an account is deleted then its notes go too`() async {
        #expect(
            await answer(to: Auth.Business.Effect.accountDeleted(userId: "u1"))
                == ["Notes.Business.Effect.deleteAll(userId: u1)"])
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
