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
        case say([Int])
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
            case .say(let counts): return .merge(counts.map { .send(.delegate(.needsAuth($0))) })
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
    private let others: MockModule<Never>
    private let issues = Recorder<FeatureIssue>()
    private let state: FeatureState<LibraryRoot.State, LibraryRoot.Action>

    init() throws {
        let exchange = Relux.Exchange()
        let logger = RecordingLogger()
        // A logger has to know the result of each dispatch, so that nothing is accepted on the spot.
        node = .clusterNode(for: "Library", on: exchange, logger: logger)
        other = .clusterNode(for: "Others", on: exchange)
        others = MockModule<Never>("Others") { effect in
            effect as? Library.Effect == .needsAuth(13) ? .failure(Relux.Failure(domain: "Others", code: "unlucky", message: "no thirteen")) : .success
        }
        state = FeatureState(
            LibraryRoot(), initialState: LibraryRoot.State(), delegate: \.delegate, onIssue: { [issues] in issues.record($0) }
        ) { delegate in
            if case .needsAuth(let count) = delegate { Library.Effect.needsAuth(count) } else { nil }
        }
        let topic = Library.Effect.wireTopic
        try node.join(LibraryModule(state: state), position: 0, handles: [], emits: [topic], isSerial: false)
        try other.join(others, position: 0, handles: [topic], emits: [], isSerial: false)
        node.openModule()
        other.openModule()
    }

    private var said: [Library.Effect] { others.effects.compactMap { $0 as? Library.Effect } }

    @Test func `Given a remote child process, when it emits a non-delegate action, then nothing leaves the process`() async throws {
        // A delegate that has no effect stays inside too.
        #expect(await node.dispatcher.actions { LibraryRoot.Action.add }.isSuccess)
        #expect(state.store.count == 1)
        #expect(await node.dispatcher.actions { LibraryRoot.Action.add }.isSuccess)
        _ = try await others.flow.effects.wait(count: 1)
        #expect(said == [.needsAuth(2)])
        #expect(!others.reduced.contains { $0 is LibraryRoot.Action })
        #expect(issues.elements == [])
    }

    @Test func `what an effect of the feature delegates leaves too`() async throws {
        #expect(await node.dispatcher.actions { LibraryRoot.Action.load }.isSuccess)
        _ = try await others.flow.effects.wait(count: 1)
        #expect(said == [.needsAuth(7)])
        #expect(state.store.count == 7)
    }

    @Test func `to perform an action is to wait for its effects and for what they delegate`() async throws {
        state.dispatcher = node.dispatcher
        await state.perform(.load)
        #expect(state.store.count == 7)
        _ = try await others.flow.effects.wait(count: 1)
        #expect(said == [.needsAuth(7)])
    }

    @Test func `delegates leave in the order in which the store has handled them`() async throws {
        #expect(await node.dispatcher.actions { LibraryRoot.Action.say(Array(100..<150)) }.isSuccess)
        state.dispatcher = node.dispatcher
        for count in 150..<200 { state.store.send(.say([count])) }
        _ = try await others.flow.effects.wait(count: 100)
        #expect(said == (100..<200).map { .needsAuth($0) })
    }

    @Test func `a delegate that fails elsewhere is an issue that names it, and those after it leave`() async throws {
        #expect(await node.dispatcher.actions { LibraryRoot.Action.say([13, 14]) }.isSuccess)
        _ = try await others.flow.effects.wait(count: 2)
        let issue = try await issues.wait(count: 1)[0].message
        #expect(issue.contains("Library.Effect.needsAuth") && issue.contains("Others.unlucky: no thirteen"), "\(issue)")
        #expect(said == [.needsAuth(13), .needsAuth(14)])
    }

    @Test func `what a view sends to the store itself leaves in the name of the module, and without one it is an issue`() async throws {
        state.store.send(.delegate(.needsAuth(2)))
        #expect(try await issues.wait(count: 1)[0].message.contains("noNode"))
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
