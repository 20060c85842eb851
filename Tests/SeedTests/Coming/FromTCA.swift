import Observation
import Relux
import ReluxFeature
import ReluxFeatureTestKit
import ReluxTestKit
import Testing

/// Compiles and runs what `Sources/ReluxFeature/ReluxFeature.docc/ComingFromTCA.md` says.
@MainActor
@Suite(.timeLimit(.minutes(1))) struct FromTCA {
    struct Row: Identifiable, Equatable, Sendable {
        var id: Int
        var isDone = false
    }

    /// What a feature needs it is given: in the place of `@Dependency`.
    struct NumberClient: Sendable {
        var fact: @Sendable (Int) async throws -> String
    }

    struct Counter: Reducer {
        struct State: Equatable {
            var count = 0
            var fact: String?
        }
        enum Action: Equatable, CasePathable {
            case tapped
            case factReceived(String)
            case delegate(Delegate)
            enum Delegate: Equatable { case counted(Int) }
            struct Cases: Sendable {
                let tapped = CasePath<Action, Void>(.tapped) { $0 == .tapped }
                let factReceived = CasePath(Action.factReceived) { if case .factReceived(let fact) = $0 { fact } else { nil } }
                let delegate = CasePath(Action.delegate) { if case .delegate(let delegate) = $0 { delegate } else { nil } }
            }
            static let cases = Cases()
        }

        let client: NumberClient

        var body: some ReducerOf<Self> {
            Reduce { state, action in
                switch action {
                case .tapped:
                    state.count += 1
                    return .run { [client, count = state.count] send in
                        try await send.clock.sleep(.seconds(1))
                        await send(.factReceived(try await client.fact(count)))
                    }
                    .cancellable(id: "fact", cancelInFlight: true)
                case .factReceived(let fact):
                    state.fact = fact
                    return .send(.delegate(.counted(state.count)))
                case .delegate: return .none
                }
            }
        }
    }

    /// A screen with an alert, a sheet and a stack: all by optionals and collections.
    struct Root: Reducer {
        struct State: Equatable {
            var counter: Counter.State? = Counter.State()
            var alert: String?
            var path: IdentifiedArrayOf<Page.State> = []
        }
        enum Action: Equatable, CasePathable {
            case counter(Counter.Action)
            case alert(AlertAction)
            case path(IdentifiedActionOf<Page>)
            case push, pop, dismiss
            enum AlertAction: Equatable { case confirmed }
            struct Cases: Sendable {
                let counter = CasePath(Action.counter) { if case .counter(let action) = $0 { action } else { nil } }
                let alert = CasePath(Action.alert) { if case .alert(let action) = $0 { action } else { nil } }
                let path = CasePath(Action.path) { if case .path(let action) = $0 { action } else { nil } }
            }
            static let cases = Cases()
        }
        let client: NumberClient

        var body: some ReducerOf<Self> {
            Reduce { state, action in
                switch action {
                case .push: state.path.append(Page.State(id: state.path.count))
                case .pop: if !state.path.isEmpty { state.path.removeLast() }
                case .dismiss: state.counter = nil
                case .alert(.confirmed): state.alert = nil
                case .counter(.delegate(.counted(let count))): state.alert = "\(count)"
                case .counter, .path: break
                }
                return .none
            }
            .ifLet(\.counter, action: \.counter) { Counter(client: client) }
            .ifLet(\.alert, action: \.alert)
            .forEach(\.path, action: \.path) { Page() }
        }
    }

    struct Page: Reducer {
        struct State: Equatable, Identifiable {
            var id: Int
            var title = ""
        }
        enum Action: Equatable, Sendable { case renamed(String) }
        var body: some ReducerOf<Self> {
            Reduce { state, action in
                if case .renamed(let title) = action { state.title = title }
                return .none
            }
        }
    }

    private let client = NumberClient { "\($0) is a number" }

    @Test func `a feature is tested as there`() async throws {
        let clock = ManualClock()
        let store: TestStoreOf<Counter> = TestStore(initialState: Counter.State(), clock: clock) { Counter(client: client) }
        await store.send(\.tapped) { $0.count = 1 }
        try await clock.waitForSleepers(1, dueWithin: .seconds(1))
        clock.advance(by: .seconds(1))
        await store.receive(\.factReceived, "1 is a number") { $0.fact = "1 is a number" }
        await store.receive(.delegate(.counted(1)))
        store.assert { $0.count = 1 }
        await store.withExhaustivity(.off(showSkippedAssertions: false)) { await store.send(.factReceived("other")) }
        await store.skipReceivedActions()
        let task = await store.send(.tapped) { $0.count = 2 }
        await task.cancel()
        await store.finish()
    }

    @Test func `children are presented by optionals, and stacked in a collection`() {
        let store: StoreOf<Root> = Store(initialState: Root.State()) { Root(client: client) }
        store.send(.counter(.delegate(.counted(3))))
        #expect(store.alert == "3")
        store.send(.alert(.confirmed))
        store.send(.push)
        store.send(.path(.element(id: 0, action: .renamed("first"))))
        #expect(store.path[0].title == "first")
        #expect(store.scope(state: \.path, action: \.path).map(\.title) == ["first"])
        store.send(.pop)
        #expect(store.scope(state: \.counter, action: \.counter)?.count == 0)
        store.send(.dismiss)
        #expect(store.scope(state: \.counter, action: \.counter) == nil)
        #expect(store.withState { $0.path.isEmpty })
    }

    @Test func `effects have their names`() async {
        let effects: [EffectOf<Counter>] = [
            .none, .send(.tapped), .run { send in await send(.tapped) },
            .merge(.send(.tapped), .none), .concatenate(.send(.tapped), .none),
            .send(.tapped).debounce(id: "query", for: .milliseconds(300)),
            .send(.tapped).throttle(id: "scroll", for: .milliseconds(300), latest: true),
            .run { _ in try await withTaskCancellation(id: "part") { try await Task.sleep(for: .seconds(1)) } },
            .run { _ in Task.cancel(id: "part") },
            .cancel(id: "query"),
        ]
        #expect(effects.count == 10)
    }

    @Test func `collections and reducers have theirs`() {
        var rows = IdentifiedArray(uniqueElements: [Row(id: 1), Row(id: 2), Row(id: 3)])
        rows[0].isDone = true
        rows[id: 2]?.isDone = true
        rows.append(contentsOf: [Row(id: 4)])
        rows.move(fromOffsets: [0], toOffset: 2)
        rows.swapAt(0, 1)
        rows.remove(at: 0)
        rows.remove(Row(id: 4))
        #expect(rows.filter(\.isDone).ids == [2])
        let reducer = CombineReducers {
            Counter(client: client)
            EmptyReducer()
        }
        .onChange(of: \.count) { old, new in
            Reduce { state, _ in
                state.fact = "\(old) → \(new)"
                return .none
            }
        }
        let store = Store(initialState: Counter.State()) { reducer._printChanges() }
        store.send(.tapped).cancel()
        #expect(store.fact == "0 → 1")
    }
}
