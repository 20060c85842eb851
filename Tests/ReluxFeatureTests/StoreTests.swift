import Observation
import ReluxFeature
import ReluxTestKit
import Testing

private enum Twice: Sendable { case both, once, last }

@MainActor
@Suite(.timeLimit(.minutes(1))) struct StoreTests {
    typealias PlayerStore = Store<Player.State, Player.Action>

    private let issues = Log<FeatureIssue>()

    private func store(_ player: Player) -> PlayerStore {
        Store(initialState: Player.State(), onIssue: { [issues] in issues.add($0) }) { player }
    }

    @Test func `an effect that sends after its end is reported, and what it sends is not handled`() async throws {
        let late = Log<Send<Player.Action>>()
        let store = store(Player { send in late.add(send) })
        await store.send(.play).finish()
        let send = try #require(late.all.first)
        send(.heard(1))
        #expect(store.heard == [])
        #expect(issues.all.count == 1)
        #expect(issues.all.first?.message.contains("playing") == true)
        #expect(issues.all.first?.message.contains(".heard") == true)
    }

    @Test func `an effect that was cancelled may send, and nobody hears it`() async throws {
        let late = Log<Send<Player.Action>>()
        let store = store(
            Player { send in
                late.add(send)
                try await Task.sleep(for: .seconds(600))
            })
        let task = store.send(.play)
        while late.all.isEmpty { await Task.yield() }
        task.cancel()
        await task.finish()
        let send = try #require(late.all.first)
        send(.heard(1))
        #expect(store.heard == [])
        #expect(issues.all == [])
    }

    @Test func `what an effect throws without a catch is reported with its place`() async {
        let store = store(Player { _ in throw Player.Broken() })
        await store.send(.play).finish()
        #expect(issues.all.first?.message.contains("playing threw Broken()") == true)
        #expect(issues.all.first?.place.contains("Player.swift") == true)
    }

    @Test func `a reducer that sends to its own store is reported, and the action is handled when it has returned`() async {
        var own: PlayerStore?
        var task: StoreTask?
        let store = store(
            Player(onPlay: { state in
                task = own?.send(.heard(2))
                state.heard.append(1)
            }) { _ in })
        own = store
        await store.send(.play).finish()
        #expect(store.heard == [1, 2])
        #expect(issues.all.count == 1)
        #expect(issues.all.first?.message.contains(".heard") == true)
        await task?.finish()
        own = nil
    }

    @Test func `the task of an action that waits ends when it is handled and its effects are over`() async throws {
        let gate = Gate()
        var own: PlayerStore?
        var inner: StoreTask?
        var isFirst = true
        let store = store(
            Player(onPlay: { _ in
                guard isFirst else { return }
                isFirst = false
                inner = own?.send(.play)
            }) { send in
                await gate.pass()
                await send(.heard(1))
            })
        own = store
        store.send(.play)
        let task = try #require(inner)
        try await gate.waitForArrivals(2)
        gate.open()
        await task.finish()
        #expect(store.heard.contains(1))
        own = nil
    }

    @Test func `a reset inside a reducer waits for it, and begins nothing of what it returned`() async {
        var own: PlayerStore?
        let store = store(
            Player(onPlay: { state in
                own?.reset(to: Player.State(heard: [9]))
                state.heard = [1]
            }) { send in await send(.heard(2)) })
        own = store
        await store.send(.play).finish()
        #expect(store.heard == [9])
        #expect(issues.all.count == 1)
        own = nil
    }

    @Test func `reducers that answer each other without end are reported and cut`() {
        enum Circle: Sendable { case ping(Int), pong(Int) }
        let store = Store(initialState: 0, onIssue: { [issues] in issues.add($0) }) {
            Reduce<Int, Circle> { state, action in
                state += 1
                switch action {
                case .ping(let number): return .send(.pong(number))
                case .pong(let number): return .send(.ping(number))
                }
            }
        }
        store.send(.ping(1))
        #expect(store.state == 65_537)
        #expect(issues.all.count == 1)
        #expect(issues.all.first?.message.contains("circle") == true)
        store.send(.ping(1))
        #expect(store.state == 2 * 65_537)
    }

    @Test func `a long row of actions that follow from each other is handled whole`() {
        let store = Store(initialState: 0, onIssue: { [issues] in issues.add($0) }) {
            Reduce<Int, Int> { state, action in
                state += 1
                return action > 0 ? .send(action - 1) : .none
            }
        }
        store.send(10_000)
        #expect(store.state == 10_001)
        #expect(issues.all.isEmpty)
    }

    @Test func `a circle that branches is reported once and cut before it fills the memory`() {
        let store = Store(initialState: 0, onIssue: { [issues] in issues.add($0) }) {
            Reduce<Int, Twice> { state, action in
                state += 1
                switch action {
                case .both: return .merge(.send(.both), .send(.both))
                case .once: return .send(.last)
                case .last: return .none
                }
            }
        }
        store.send(.both)
        #expect(store.state == 65_537)
        #expect(issues.all.count == 1)
        #expect(issues.all.first?.message.contains("circle") == true)
        // The next turn begins anew.
        store.send(.once)
        #expect(store.state == 65_539)
        #expect(issues.all.count == 1)
    }

    @Test func `what an effect has waited for may be cancelled: without a catch that is reported`() async {
        let store = store(
            Player { _ in
                let other = Task { try await Task.sleep(for: .seconds(600)) }
                other.cancel()
                try await other.value
            })
        await store.send(.play).finish()
        #expect(issues.all.count == 1)
        #expect(issues.all.first?.message.contains("playing threw CancellationError()") == true)
    }

    @Test func `who is told of a state and sends again never leaves an older one behind`() {
        let store = store(Player { _ in })
        let told = Log<Int>()
        withObservationTracking {
            _ = store.state
        } onChange: {
            MainActor.assumeIsolated {
                guard told.all.isEmpty else { return }
                told.add(store.heard.count)
                store.send(.heard(2))
            }
        }
        store.send(.heard(1))
        #expect(store.heard == [1, 2])
    }

    @Test func `a store that goes away cancels what it runs, and nobody waits for it any more`() async {
        let ended = Signal("the effect's end")
        let began = Signal("the effect's begin")
        var store: PlayerStore? = store(
            Player { _ in
                began.fire()
                do { try await Task.sleep(for: .seconds(600)) } catch { ended.fire() }
            })
        let task = store?.send(.play)
        try? await began.wait()
        store = nil
        await task?.finish()
        await #expect(throws: Never.self) { try await ended.wait() }
        #expect(issues.all == [])
    }

    @Test func `cancelling who waits for an action cancels its effects`() async throws {
        let began = Signal("the effect's begin")
        let store = store(
            Player { _ in
                began.fire()
                try await Task.sleep(for: .seconds(600))
            })
        let waiting = Task { await store.send(.play).finish() }
        try await began.wait()
        waiting.cancel()
        await waiting.value
        #expect(issues.all == [])
    }

    @Test func `pictures of the state come after each turn, the latest for who is slow`() async {
        let store = store(Player { _ in })
        var pictures = store.pictures { $0.heard.count }.makeAsyncIterator()
        store.send(.heard(1))
        store.send(.heard(2))
        #expect(await pictures.next() == 2)
    }
}
