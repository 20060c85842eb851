import Relux
import ReluxFeature
import ReluxTestKit
import Testing

private enum Library {
    enum Effect: Relux.Effect, Equatable { case needsAuth(Int) }
}

private struct LibraryRoot: Reducer {
    struct State: Equatable { var count = 0 }
    enum Action: Relux.Action, Equatable, CasePathable {
        case add
        case load
        case loaded(Int)
        case delegate(Delegate)
        enum Delegate: Equatable {
            case needsAuth(Int)
            case inside
        }
        struct Cases: Sendable {
            let delegate = CasePath(Action.delegate) { if case .delegate(let delegate) = $0 { delegate } else { nil } }
        }
        static let cases = Cases()
    }
    var body: some ReducerOf<Self> {
        Reduce { state, action in
            switch action {
            case .add:
                state.count += 1
                return state.count > 1 ? .send(.delegate(.needsAuth(state.count))) : .send(.delegate(.inside))
            case .load: return .run { send in await send(.loaded(7)) }
            case .loaded(let count):
                state.count = count
                return .send(.delegate(.needsAuth(count)))
            case .delegate: return .none
            }
        }
    }
}

private struct LibraryModule: Relux.Module {
    let moduleID: ModuleID = "Library"
    let state: Relux.FeatureState<LibraryRoot.State, LibraryRoot.Action>
    var states: [any Relux.AnyState] { [state] }
    var sagas: [any Relux.Saga] { [] }
}

@MainActor
@Suite(.timeLimit(.minutes(1))) struct FeatureStateTests {
    private let node = Relux(name: "Features")
    private let others = MockModule<Never>("Others")
    private let state = Relux.FeatureState(
        initialState: LibraryRoot.State(), delegate: \LibraryRoot.Action.Cases.delegate,
        as: { delegate in if case .needsAuth(let count) = delegate { Library.Effect.needsAuth(count) } else { nil } }
    ) { LibraryRoot() }

    @Test func `62: a root's delegate leaves as an effect of the module, and no other action of the feature does`() async throws {
        await node.register([LibraryModule(state: state), others])
        let effects = others.flow
        #expect(await node.dispatcher.actions { LibraryRoot.Action.add }.isSuccess)
        #expect(state.store.count == 1)
        #expect(await node.dispatcher.actions { LibraryRoot.Action.add }.isSuccess)
        _ = try await effects.effects.wait(count: 1)
        #expect(effects.effects.elements.compactMap { $0 as? Library.Effect } == [.needsAuth(2)])
        #expect(!others.state.actions.elements.contains { $0 is LibraryRoot.Action }, "a plain action stays in its module")
    }

    @Test func `what an effect of the feature delegates leaves too`() async throws {
        await node.register([LibraryModule(state: state), others])
        #expect(await node.dispatcher.actions { LibraryRoot.Action.load }.isSuccess)
        _ = try await others.flow.effects.wait(count: 1)
        #expect(others.flow.effects.elements.compactMap { $0 as? Library.Effect } == [.needsAuth(7)])
        #expect(state.store.count == 7)
    }

    @Test func `clean-up takes the feature back to where it began`() async {
        await node.register([LibraryModule(state: state)])
        await node.dispatcher.actions { LibraryRoot.Action.add }
        await state.cleanup()
        #expect(state.store.count == 0)
    }
}
