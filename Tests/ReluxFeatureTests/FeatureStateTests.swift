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
    let state: FeatureState<LibraryRoot.State, LibraryRoot.Action>
    var states: [any Relux.AnyState] { [state] }
    var sagas: [any Relux.Saga] { [] }
}

/// Two modules of one process, each in its node, as in a shared host.
@MainActor
@Suite(.timeLimit(.minutes(1))) struct FeatureStateTests {
    private let node: Relux
    private let other: Relux
    private let others = MockModule<Never>("Others")
    private let state = FeatureState(
        initialState: LibraryRoot.State(), delegate: \LibraryRoot.Action.Cases.delegate,
        as: { delegate in if case .needsAuth(let count) = delegate { Library.Effect.needsAuth(count) } else { nil } }
    ) { LibraryRoot() }

    init() throws {
        let exchange = Relux.Exchange()
        node = .clusterNode(for: "Library", on: exchange)
        other = .clusterNode(for: "Others", on: exchange)
        let topic = Library.Effect.wireTopic
        try node.join(LibraryModule(state: state), position: 0, handles: [], emits: [topic], isSerial: false)
        try other.join(others, position: 0, handles: [topic], emits: [], isSerial: false)
        node.openModule()
        other.openModule()
    }

    private var said: [Library.Effect] { others.effects.compactMap { $0 as? Library.Effect } }

    @Test func `62: a root's delegate leaves as an effect of the module, and no other action of the feature does`() async throws {
        #expect(await node.dispatcher.actions { LibraryRoot.Action.add }.isSuccess)
        #expect(state.store.count == 1)
        #expect(await node.dispatcher.actions { LibraryRoot.Action.add }.isSuccess)
        _ = try await others.flow.effects.wait(count: 1)
        #expect(said == [.needsAuth(2)])
        #expect(!others.reduced.contains { $0 is LibraryRoot.Action })
    }

    @Test func `what an effect of the feature delegates leaves too`() async throws {
        #expect(await node.dispatcher.actions { LibraryRoot.Action.load }.isSuccess)
        _ = try await others.flow.effects.wait(count: 1)
        #expect(said == [.needsAuth(7)])
        #expect(state.store.count == 7)
    }

    @Test func `what a view sends to the store itself leaves in the name of the module`() async throws {
        state.dispatcher = node.dispatcher
        state.store.send(.delegate(.needsAuth(3)))
        _ = try await others.flow.effects.wait(count: 1)
        #expect(said == [.needsAuth(3)])
    }

    @Test func `clean-up takes the feature back to where it began`() async {
        await node.dispatcher.actions { LibraryRoot.Action.add }
        await state.cleanup()
        #expect(state.store.count == 0)
    }
}
