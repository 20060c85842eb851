import ReluxFeatureTestKit
import ReluxFeature
import Testing

private struct Search: Reducer {
    struct State: Equatable {
        var query = ""
        var isOn = false
        var results: [String] = []
        var failure = ""
    }
    enum Action: Equatable, CasePathable {
        case binding(BindingAction<State>)
        case found([String])
        case failed(String)
        case start(Int)
        case stop

        struct Cases: Sendable {
            let binding = CasePath(Action.binding) { if case .binding(let change) = $0 { change } else { nil } }
            let found = CasePath(Action.found) { if case .found(let list) = $0 { list } else { nil } }
        }
        static let cases = Cases()
    }
    private enum ID: Hashable { case search }
    struct Broken: Error {}

    /// Ends when its number is asked for, or it is cancelled.
    var find: @Sendable (Int) async throws -> [String] = { ["\($0)"] }

    var body: some ReducerOf<Self> {
        BindingReducer(action: \.binding)
        Reduce { state, action in
            switch action {
            case .binding(let change) where change.is(\.query): return .send(.start(state.query.count))
            case .binding: return .none
            case .start(let number):
                return .run { [find] send in
                    await send(.found(try await find(number)))
                } catch: { error, send in
                    await send(.failed("\(error)"))
                }
                .cancellable(id: ID.search, cancelInFlight: true)
            case .stop: return .cancel(id: ID.search)
            case .found(let list):
                state.results += list
                return .none
            case .failed(let why):
                state.failure = why
                return .none
            }
        }
    }
}

@MainActor
@Suite(.timeLimit(.minutes(1))) struct FeatureTests {
    @Test func `a binding sets its field before the feature's own reducer sees it`() async {
        let store = TestStore(initialState: Search.State()) { Search() }
        await store.send(.binding(.set(\.isOn, true))) { $0.isOn = true }
        await store.send(.binding(.set(\.query, "abc"))) { $0.query = "abc" }
        await store.receive(.start(3))
        await store.receive(\.found, ["3"]) { $0.results = ["3"] }
        await store.finish()
    }

    @Test func `what runs under an id is cancelled by the next one, and by cancel`() async {
        let store = TestStore(initialState: Search.State()) {
            Search(find: { number in
                if number < 3 { try await Task.sleep(for: .seconds(600)) }
                return ["\(number)"]
            })
        }
        await store.send(.start(1))
        await store.send(.start(2))
        await store.send(.start(3))
        await store.receive(.found(["3"])) { $0.results = ["3"] }
        await store.send(.start(1))
        await store.send(.stop)
        await store.finish()
    }

    @Test func `what an effect throws goes to its catch`() async {
        let store = TestStore(initialState: Search.State()) { Search(find: { _ in throw Search.Broken() }) }
        await store.send(.start(1))
        await store.receive(.failed("Broken()")) { $0.failure = "Broken()" }
        await store.finish()
    }

    @Test func `a cancellation that is not its own goes to an effect's catch`() async {
        let store = TestStore(initialState: Search.State()) { Search(find: { _ in throw CancellationError() }) }
        await store.send(.start(1))
        await store.receive(.failed("CancellationError()")) { $0.failure = "CancellationError()" }
        await store.finish()
    }

    @Test func `the store's task ends with all that the action has begun`() async {
        let store = Store(initialState: Search.State()) { Search(find: { ["\($0)"] }) }
        await store.send(.binding(.set(\.query, "ab"))).finish()
        #expect(store.results == ["2"])
    }

    @Test func `a diff names the field that differs`() async {
        var failures: [String] = []
        let store = TestStore(initialState: Search.State()) {
            Search()
        } report: { comment, _ in
            failures.append(comment.rawValue)
        }
        await store.send(.found(["a"])) { $0.results = ["b"] }
        await store.finish()
        #expect(failures.count == 1)
        let lines = (failures.first ?? "").split(separator: "\n").map { $0.trimmingPrefix(while: { $0 == " " }) }
        #expect(lines.contains(#"-     "b""#.trimmingPrefix(while: { $0 == " " })))
        #expect(lines.contains(#"+     "a""#.trimmingPrefix(while: { $0 == " " })))
    }

    @Test func `children of one kind do not cancel each other's effects`() async {
        struct Two: Reducer {
            struct State: Equatable {
                var left = Search.State()
                var right = Search.State()
            }
            enum Action: Equatable, CasePathable {
                case left(Search.Action)
                case right(Search.Action)
                struct Cases: Sendable {
                    let left = CasePath(Action.left) { if case .left(let action) = $0 { action } else { nil } }
                    let right = CasePath(Action.right) { if case .right(let action) = $0 { action } else { nil } }
                }
                static let cases = Cases()
            }
            let gate: AsyncStream<Void>
            var body: some ReducerOf<Self> {
                Scope(state: \.left, action: \.left) {
                    Search(find: { [gate] number in
                        for await _ in gate { break }
                        return ["\(number)"]
                    })
                }
                Scope(state: \.right, action: \.right) { Search() }
            }
        }
        let (gate, open) = AsyncStream.makeStream(of: Void.self)
        let store = TestStore(initialState: Two.State()) { Two(gate: gate) }
        await store.send(.left(.start(1)))
        await store.send(.right(.stop))
        open.yield()
        await store.receive(\.left.found, ["1"]) { $0.left.results = ["1"] }
        await store.finish()
    }

    @Test func `an action that waits is taken back by its id, and by another one under it`() async {
        struct Queue: Reducer {
            typealias State = [Int]
            enum Action: Equatable {
                case start, done(Int)
            }
            func reduce(into state: inout [Int], action: Action) -> Effect<Action> {
                switch action {
                case .start:
                    return .merge(
                        .send(.done(1)).cancellable(id: "a"), .cancel(id: "a"), .send(.done(2)).cancellable(id: "a"),
                        .send(.done(3)).cancellable(id: "a", cancelInFlight: true), .send(.done(4)))
                case .done(let number):
                    state.append(number)
                    return .none
                }
            }
        }
        let store = TestStore(initialState: [Int]()) { Queue() }
        await store.send(.start)
        #expect(store.cancelledEffects.map(\.reason) == ["its feature cancelled its id", "another one began under its id"])
        await store.receive(where: { $0 == .done(3) }) { $0 = [3] }
        await store.receive(where: { $0 == .done(4) }) { $0 = [3, 4] }
        await store.finish()
    }
}
