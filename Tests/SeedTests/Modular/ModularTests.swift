import Relux
import ReluxTestKit
import Testing

@Suite(.timeLimit(.minutes(1))) struct ModularTests {
    @Test func `the registration sample sets the modules up in its order`() async {
        let logger = RecordingLogger()
        let relux = await App().start(logger: logger)
        #expect(relux.modules == ["Navigation", "Notes", "SessionOrchestration"])
        #expect(logger.refusals.isEmpty)
    }

    @Test func `the module template answers, and its router leads to the app's pages`() async throws {
        let relux = await App().start(logger: RecordingLogger())
        #expect(await relux.dispatcher.actions { Notes.Business.Command.create }.isSuccess)
        let notes = try #require(relux.store.getState(Notes.Business.State.self))
        #expect(await notes.count == 1)
        let router = try #require(relux.store.getState(AppRouter.State.self))
        #expect(await router.pages == [.notes(page: .details(id: 1)), .app(page: .main)])
    }
}
