import ReluxFeature
import ReluxFeatureTestKit
import ReluxTestKit
import Testing

/// How features are put together, and what an id of one reaches in the others.
@MainActor
@Suite(.timeLimit(.minutes(1))) struct CompositionTests {
    // MARK: Ids

    private nonisolated static func sleeper(_ name: String) -> Effect<Work.Action> {
        .run(name: name) { _ in try await Task.sleep(for: .seconds(600)) }.cancellable(id: "work")
    }

    /// A child that works under the id that its parent uses, too.
    private struct Work: Reducer {
        struct State: Equatable, Identifiable { var id = 0 }
        enum Action: Equatable, Sendable { case start, stop }
        let name: String
        var body: some ReducerOf<Self> {
            Reduce { _, action in
                switch action {
                case .start: CompositionTests.sleeper(name)
                case .stop: .cancel(id: "work")
                }
            }
        }
    }

    private struct Office: Reducer {
        struct State: Equatable {
            var desk = Work.State()
            var guest: Work.State? = Work.State()
            var rows: IdentifiedArrayOf<Work.State> = [Work.State(id: 1)]
        }
        enum Action: Equatable, CasePathable {
            case desk(Work.Action)
            case guest(Work.Action)
            case rows(IdentifiedActionOf<Work>)
            case start, stop
            struct Cases: Sendable {
                let desk = CasePath(Action.desk) { if case .desk(let action) = $0 { action } else { nil } }
                let guest = CasePath(Action.guest) { if case .guest(let action) = $0 { action } else { nil } }
                let rows = CasePath(Action.rows) { if case .rows(let action) = $0 { action } else { nil } }
            }
            static let cases = Cases()
        }
        var body: some ReducerOf<Self> {
            Scope(state: \.desk, action: \.desk) { Work(name: "desk") }
            Reduce { _, action in
                switch action {
                case .start: CompositionTests.sleeper("office").map { _ in .stop }
                case .stop: .cancel(id: "work")
                default: .none
                }
            }
            .ifLet(\.guest, action: \.guest) { Work(name: "guest") }
            .forEach(\.rows, action: \.rows) { Work(name: "row") }
        }
    }

    private func running(_ stop: Office.Action) async -> [String] {
        let store = TestStore(initialState: Office.State()) { Office() }
        store.exhaustivity = .off
        for action in [Office.Action.start, .desk(.start), .guest(.start), .rows(.element(id: 1, action: .start))] { await store.send(action) }
        await store.send(stop)
        return store.cancelledEffects.map(\.name).sorted()
    }

    @Test func `a parent's id reaches what its children run under it`() async {
        #expect(await running(.stop) == ["desk", "guest", "office", "row"])
    }

    @Test func `a child's id reaches nothing of its parent or of other children`() async {
        #expect(await running(.guest(.stop)) == ["guest"])
        #expect(await running(.rows(.element(id: 1, action: .stop))) == ["row"])
    }

    @Test func `the id of a child in a scope reaches its parent's, and not those of its siblings`() async {
        #expect(await running(.desk(.stop)) == ["desk", "office"])
    }

    // MARK: Ways to compose

    private struct Counter: Reducer {
        struct State: Equatable { var count = 0 }
        enum Action: Equatable, Sendable { case add(Int) }
        var body: some ReducerOf<Self> {
            Reduce { state, action in
                if case .add(let more) = action { state.count += more }
                return .none
            }
        }
    }

    /// A feature whose state is an enum.
    private struct Session: Reducer {
        enum State: Equatable, CasePathable {
            case open(Counter.State)
            case closed
            struct Cases: Sendable {
                let open = CasePath(State.open) { if case .open(let state) = $0 { state } else { nil } }
            }
            static let cases = Cases()
        }
        enum Action: Equatable, CasePathable {
            case open(Counter.Action)
            case close
            struct Cases: Sendable {
                let open = CasePath(Action.open) { if case .open(let action) = $0 { action } else { nil } }
            }
            static let cases = Cases()
        }
        var body: some ReducerOf<Self> {
            Scope(state: \.open, action: \.open) { Counter() }
            Reduce { state, action in
                if action == .close { state = .closed }
                return .none
            }
        }
    }

    @Test func `a scope runs the child of an enum's case, and reports what comes for another`() async {
        let failures = Log<String>()
        let store = TestStore(initialState: Session.State.open(Counter.State())) {
            Session()
        } report: { comment, _ in
            failures.add(comment.rawValue)
        }
        await store.send(.open(.add(2))) { $0 = .open(Counter.State(count: 2)) }
        await store.send(.close) { $0 = .closed }
        #expect(failures.all.isEmpty)
        await store.send(.open(.add(1)))
        #expect(failures.all.count == 1)
        #expect(failures.all.first?.contains("came while there was none: .add") == true, "\(failures.all)")
        await store.finish()
    }

    @Test func `a modifier goes for all reducers of a group`() async {
        struct Group: Reducer {
            struct State: Equatable {
                var count = 0
                var alert: String?
            }
            enum Action: Equatable, CasePathable {
                case add
                case alert(String)
                struct Cases: Sendable {
                    let alert = CasePath(Action.alert) { if case .alert(let text) = $0 { text } else { nil } }
                }
                static let cases = Cases()
            }
            var body: some ReducerOf<Self> {
                CombineReducers {
                    Reduce { state, _ in
                        state.count += 1
                        return .none
                    }
                    Reduce { state, _ in
                        state.count *= 2
                        return .none
                    }
                }
                .ifLet(\.alert, action: \.alert)
            }
        }
        let store = TestStore(initialState: Group.State()) { Group() }
        await store.send(.add) { $0.count = 2 }
        await store.finish()
    }

    @Test func `a change of a part is answered in the same turn`() async {
        let store = TestStore(initialState: [0, 0]) {
            Reduce<[Int], Int> { state, action in
                state[0] = action
                return .none
            }
            .onChange(of: { $0[0] }) { old, new in
                Reduce { state, _ in
                    state[1] += new - old
                    return .none
                }
            }
        }
        await store.send(3) { $0 = [3, 3] }
        await store.send(3)
        await store.send(1) { $0 = [1, 1] }
        await store.finish()
    }

    @Test func `reducers without their types are run like others`() async {
        let adding: [any Reducer<Counter.State, Counter.Action>] = [Counter(), Counter()]
        let single: any Reducer<Counter.State, Counter.Action> = Counter()
        let store = TestStore(initialState: Counter.State()) {
            for reducer in adding { reducer }
            single
            Counter()
        }
        await store.send(.add(1)) { $0.count = 4 }
        await store.finish()
    }

    @Test func `changes can be printed, and are made all the same`() async {
        let store: StoreOf<Counter> = Store(initialState: Counter.State()) { Counter()._printChanges() }
        store.send(.add(2))
        #expect(store.count == 2)
        let none: EffectOf<Counter> = .none
        #expect("\(none)".contains("none"))
    }
}
