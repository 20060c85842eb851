import ReluxTestKit
import Testing

@testable import Relux

/// Code that is written as upstream Relux has it, and means the same.
@Suite(.timeLimit(.minutes(1))) struct UpstreamScenarios {
    let test = TestNode()

    // MARK: Results

    private actor Keyed: Relux.Flow {
        func apply(_ effect: any Relux.Effect) async -> Relux.Flow.Result {
            guard case Work.number(let number)? = effect as? Work else { return .failure }
            var result: Relux.Flow.Result = .success(number, for: "number")
            result.merge(.success("a text", for: "text"))
            return result
        }
    }

    @Test func `a result is matched like an enum, and has values by their keys`() async {
        await test.relux.register(Plain("Keyed", sagas: [Keyed()]))
        let result = await test.dispatcher.actions { Work.number(7) }
        if case .success = result {} else { Issue.record("\(result) is a success") }
        if case .failure = result { Issue.record("\(result) is no failure") }
        #expect(result.value(Int.self, for: "number") == 7)
        #expect(result.value(String.self, for: "text") == "a text")
        #expect(result.value(Int.self, for: "text") == nil)
        #expect(result.values(Int.self).keys.map(\.module) == ["Keyed"])
        let failed = await test.dispatcher.actions { Work.a }
        switch failed {
        case .failure: break
        default: Issue.record("\(failed) is a failure")
        }
        #expect(failed.codes == ["failed"])
    }

    // MARK: Dispatching

    @Test func `the closures of an unawaited batch come in upstream's order, with a priority`() async {
        let (labels, ended) = (Recorder<String>(), Gate())
        test.dispatcher.performAsync(withPriority: .high) {
            Note.noted(1)
        } completion: { result in
            labels.record("\(result.isSuccess)")
            ended.open()
        } label: {
            "a label"
        }
        await ended.pass()
        #expect(labels.elements == ["true"])
        #expect(test.logger.entries.map(\.label) == ["a label"])
    }

    @Test func `a dispatcher with a logger alone tells it what was dispatched`() async {
        let logger = Relux.Testing.Logger()
        let result = await Relux.Dispatcher(logger: logger).actions { Work.number(3) }
        #expect(result.isSuccess && result.isUnhandled)
        #expect(logger.all(Work.self) == [.number(3)])
    }

    @Test func `an action says its case and its values`() {
        #expect(Work.number(3).caseName == "Work.number")
        #expect(Work.number(3).associatedValues == ["3"])
        #expect(Work.a.caseName == "Work.a")
    }

    // MARK: Nodes and their parts

    private actor Asking: Relux.Saga {
        static let own = Asking.defaultDispatcher
        func apply(_ effect: any Relux.Effect) async {
            guard case Work.a? = effect as? Work else { return }
            await Self.defaultDispatcher.actions { Work.b }
        }
    }

    @Test func `a saga's default dispatcher is that of the running handler`() async {
        await test.relux.register(Plain("Asking", sagas: [Asking()]))
        await test.dispatcher.actions { Work.a }
        #expect(test.logger.all(Work.self) == [.b, .a])
    }

    @Test func `mock modules record what reaches them`() async {
        let mock = await Relux.Testing.MockModule<Note, Work, First>()
        let other = await Relux.Testing.MockModule<Note, Work, Second>()
        await test.relux.register(mock).register(other)
        await test.dispatcher.actions {
            Note.noted(1)
            Work.b
        }
        #expect(mock.actionsLogger.actions == [.noted(1)] && other.actionsLogger.actions == [.noted(1)])
        #expect(mock.effectsLogger.effects == [.b] && other.effectsLogger.effects == [.b])
    }

    @Test func `a state without a module is connected, found, and cleaned up when it is disconnected`() async {
        let store = test.relux.store
        store.connect(state: Counter())
        await test.dispatcher.actions { Work.number(2) }
        let found = store.getState(Counter.self)
        #expect(await found?.total == 2)
        await store.cleanup()
        #expect(await found?.total == 0)
        await store.disconnect(state: Counter())
        #expect(store.getState(Counter.self) === found)
        if let found { await store.disconnect(state: found) }
        #expect(store.getState(Counter.self) == nil)
        #expect(await found?.cleanups == 2)
    }

    private struct NoteActions: Relux.ActionProviding {
        let note: @Sendable (Int) async -> Void
    }

    private struct Offering: Relux.Module {
        let moduleID: ModuleID
        let states: [any Relux.AnyState] = []
        let sagas: [any Relux.Saga] = []
        let actionRelays: [any Relux.ActionRelaying]
    }

    @Test func `views find what a module lets them do, as long as it is there`() async throws {
        let dispatcher = test.dispatcher
        let relay = Relux.UI.ActionRelay(NoteActions { number in await dispatcher.actions { Note.noted(number) } })
        await test.relux.register(Offering(moduleID: "Offering", actionRelays: [relay]))
        let found = try #require(test.relux.store.getActionRelay(for: NoteActions.self))
        await found.actions.note(5)
        #expect(test.logger.all(Note.self) == [.noted(5)])
        do {
            try await test.relux.add(Offering(moduleID: "Other", actionRelays: [Relux.UI.ActionRelay(NoteActions { _ in })]))
            Issue.record("a second relay of the same actions is refused")
        } catch {
            #expect(error.code == .duplicateRelay)
        }
        await test.relux.unregister("Offering")
        #expect(test.relux.store.getActionRelay(for: NoteActions.self) == nil)
    }
}
