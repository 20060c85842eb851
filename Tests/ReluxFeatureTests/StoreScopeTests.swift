import Observation
import ReluxFeature
import ReluxTestKit
import Testing

/// The stores of children, and who is told of which change.
@MainActor
@Suite(.timeLimit(.minutes(1))) struct StoreScopeTests {
    private struct Row: Reducer {
        struct State: Equatable, Identifiable {
            var id: Int
            var count = 0
            var title = ""
        }
        enum Action: Equatable, CasePathable {
            case add(Int)
            case clear
            struct Cases: Sendable {
                let add = CasePath(Action.add) { if case .add(let more) = $0 { more } else { nil } }
                let clear = CasePath<Action, Void>(.clear) { $0 == .clear }
            }
            static let cases = Cases()
        }
        var body: some ReducerOf<Self> {
            Reduce { state, action in
                switch action {
                case .add(let more): state.count += more
                case .clear: state.count = 0
                }
                return .none
            }
        }
    }

    private struct Table: Reducer {
        struct State: Equatable {
            var head = Row.State(id: 0)
            var chosen: Row.State? = Row.State(id: 9)
            var rows: IdentifiedArrayOf<Row.State> = [Row.State(id: 1), Row.State(id: 2)]
        }
        enum Action: Equatable, CasePathable {
            case head(Row.Action)
            case chosen(Row.Action)
            case rows(IdentifiedActionOf<Row>)
            case dismiss
            struct Cases: Sendable {
                let head = CasePath(Action.head) { if case .head(let action) = $0 { action } else { nil } }
                let chosen = CasePath(Action.chosen) { if case .chosen(let action) = $0 { action } else { nil } }
                let rows = CasePath(Action.rows) { if case .rows(let action) = $0 { action } else { nil } }
            }
            static let cases = Cases()
        }
        var body: some ReducerOf<Self> {
            Scope(state: \.head, action: \.head) { Row() }
            Reduce { state, action in
                if action == .dismiss { state.chosen = nil }
                return .none
            }
            .ifLet(\.chosen, action: \.chosen) { Row() }
            .forEach(\.rows, action: \.rows) { Row() }
        }
    }

    private let store = Store(initialState: Table.State()) { Table() }

    @Test func `the store of a child shows its part and sends its actions`() {
        let head = store.scope(state: \.head, action: \.head)
        head.send(.add(2))
        #expect(head.count == 2 && store.head.count == 2)
        head.send(\.add, 3)
        #expect(head.state == Row.State(id: 0, count: 5))
        head.send(\.clear)
        #expect(head.withState { $0.count } == 0)
        store.send(\.rows[id: 1].add, 4)
        #expect(store.rows[0].count == 4)
    }

    @Test func `the store of a child that may be there shows its last state when it has gone`() throws {
        let chosen = try #require(store.scope(state: \.chosen, action: \.chosen))
        chosen.send(.add(1))
        #expect(chosen.count == 1)
        store.send(.dismiss)
        #expect(store.scope(state: \.chosen, action: \.chosen) == nil)
        #expect(chosen.id == 9 && chosen.count == 1)
    }

    @Test func `each element has a store, found by its id`() {
        let rows = store.scope(state: \.rows, action: \.rows)
        #expect(rows.map(\.id) == [1, 2])
        rows[1].send(.add(7))
        #expect(store.rows[1].count == 7)
        #expect(rows[1].count == 7)
    }

    @Test func `the store of a part is not reset`() {
        let issues = Log<FeatureIssue>()
        FeatureIssue.$reporter.withValue({ issues.add($0) }) { store.scope(state: \.head, action: \.head).reset(to: Row.State(id: 1)) }
        #expect(issues.all.count == 1)
        #expect(store.head.id == 0)
    }

    @Test func `the pictures of a part follow it`() async {
        let head = store.scope(state: \.head, action: \.head)
        let pictures = head.pictures { $0.count }
        head.send(.add(2))
        var seen = pictures.makeAsyncIterator()
        #expect(await seen.next() == 2)
    }

    @Test func `pictures end with their store`() async {
        var own: Store<Table.State, Table.Action>? = Store(initialState: Table.State()) { Table() }
        let pictures = own?.scope(state: \.head, action: \.head).pictures { $0.count }
        own = nil
        for await _ in pictures! {}
    }

    // MARK: Observation

    private func changes(_ read: () -> Void, on action: Table.Action) -> Bool {
        let told = Log<Void>()
        withObservationTracking(read) { told.add(()) }
        store.send(action)
        return !told.all.isEmpty
    }

    @Test func `an observer is told when what it has read changes, and of nothing else`() {
        #expect(!changes({ _ = store.chosen }, on: .head(.add(1))))
        #expect(changes({ _ = store.head.count }, on: .head(.add(1))))
        #expect(!changes({ _ = store.head.count }, on: .rows(.element(id: 1, action: .add(1)))))
        #expect(changes({ _ = store.rows }, on: .rows(.element(id: 1, action: .add(1)))))
        #expect(changes({ _ = store.state }, on: .head(.add(1))))
        #expect(!changes({ _ = store.state }, on: .head(.add(0))))
        // Nothing is left behind of what was told.
        #expect(changes({ _ = store.head.count }, on: .head(.add(1))))
    }

    @Test func `an observer of a child's store is told of the child alone`() {
        let (head, rows) = (store.scope(state: \.head, action: \.head), store.scope(state: \.rows, action: \.rows))
        #expect(!changes({ _ = head.count }, on: .rows(.element(id: 1, action: .add(1)))))
        #expect(changes({ _ = head.count }, on: .head(.add(1))))
        #expect(!changes({ _ = rows[0].count }, on: .rows(.element(id: 2, action: .add(1)))))
        #expect(changes({ _ = rows[0].count }, on: .rows(.element(id: 1, action: .add(1)))))
        #expect(changes({ _ = store.chosen?.id }, on: .dismiss))
    }
}
