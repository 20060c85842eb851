import Relux
import ReluxFeature
import ReluxFeatureTestKit
import ReluxTestKit
import Testing

/// When effects begin, one in regard to another, and what an id reaches.
@MainActor
@Suite(.timeLimit(.minutes(1))) struct EffectOrderTests {
    private enum Action: Equatable, Sendable {
        case begin
        case heard(String)
    }

    private func store(
        clock: ManualClock = ManualClock(), _ effect: @escaping () -> Effect<Action>
    ) -> TestStore<[String], Action> {
        TestStore(initialState: [], clock: clock) {
            Reduce { state, action in
                switch action {
                case .begin: return effect()
                case .heard(let what):
                    state.append(what)
                    return .none
                }
            }
        }
    }

    private nonisolated static func saying(_ what: String, behind gate: Gate? = nil) -> Effect<Action> {
        .run(name: what) { send in
            await gate?.pass()
            await send(.heard(what))
        }
    }

    // MARK: concatenate

    @Test func `concatenated effects begin one after the other`() async {
        let gate = Gate()
        let store = store {
            .concatenate(
                Self.saying("slow", behind: gate), .send(.heard("then")), .merge(Self.saying("late"), .send(.heard("at once"))),
                Self.saying("last"))
        }
        await store.send(.begin)
        #expect(store.state == [])
        gate.open()
        for what in ["slow", "then", "at once", "late", "last"] { await store.receive(.heard(what)) { $0.append(what) } }
        await store.finish()
    }

    @Test func `concatenated actions are handled in one turn`() {
        let store = Store(initialState: [Int]()) {
            Reduce<[Int], Int> { state, action in
                state.append(action)
                return action == 0 ? .concatenate(.send(1), .concatenate(.send(2), .send(3)), .send(4)) : .none
            }
        }
        store.send(0)
        #expect(store.state == [0, 1, 2, 3, 4])
    }

    @Test func `a cancelled sequence begins nothing more`() async {
        let gate = Gate()
        var isCancelled = false
        let store = store {
            isCancelled ? .cancel(id: "all") : .concatenate(Self.saying("one", behind: gate), Self.saying("two")).cancellable(id: "all")
        }
        await store.send(.begin)
        isCancelled = true
        await store.send(.begin)
        #expect(store.cancelledEffects.map(\.name).sorted() == ["one", "what follows in a sequence"])
        gate.open()
        await store.finish()
        #expect(store.state == [])
    }

    @Test func `the wait for an action is one for the whole sequence`() async {
        let store = Store(initialState: [String]()) {
            Reduce<[String], Action> { state, action in
                switch action {
                case .begin: return .concatenate(Self.saying("one"), Self.saying("two"))
                case .heard(let what):
                    state.append(what)
                    return .none
                }
            }
        }
        await store.send(.begin).finish()
        #expect(store.state == ["one", "two"])
    }

    @Test func `a store that is reset in the middle of a sequence leaves the rest`() async {
        let gate = Gate()
        let store = Store(initialState: [""]) {
            Reduce<[String], Action> { state, action in
                switch action {
                case .begin: return .concatenate(Self.saying("one", behind: gate), .send(.heard("two")))
                case .heard(let what):
                    state.append(what)
                    return .none
                }
            }
        }
        let task = store.send(.begin)
        store.reset(to: [])
        gate.open()
        await task.finish()
        #expect(store.state == [])
    }

    // MARK: debounce, throttle

    @Test func `a debounced effect begins when no other has come for its time`() async throws {
        let clock = ManualClock()
        var number = 0
        let store = store(clock: clock) {
            number += 1
            return Self.saying("\(number)").debounce(id: "query", for: .seconds(1))
        }
        await store.send(.begin)
        try await clock.waitForSleepers(1, dueWithin: .seconds(1))
        clock.advance(by: .milliseconds(900))
        await store.send(.begin)
        try await clock.waitForSleepers(1, dueWithin: .seconds(1))
        clock.advance(by: .milliseconds(900))
        #expect(store.state == [])
        clock.advance(by: .milliseconds(100))
        await store.receive(.heard("2")) { $0 = ["2"] }
        await store.finish()
    }

    @Test func `a debounced effect's time begins with the effect, not with its task`() async {
        let clock = ManualClock()
        let store = store(clock: clock) { Self.saying("1").debounce(id: "query", for: .seconds(1)) }
        await store.send(.begin)
        clock.advance(by: .seconds(1))
        await store.receive(.heard("1")) { $0 = ["1"] }
        await store.finish()
    }

    @Test func `a throttled effect begins at once, then the latest of those within its time`() async throws {
        let clock = ManualClock()
        var number = 0
        let store = store(clock: clock) {
            number += 1
            return .send(.heard("\(number)")).throttle(id: "scroll", for: .seconds(1), latest: true)
        }
        await store.send(.begin)
        await store.receive(.heard("1")) { $0 = ["1"] }
        await store.send(.begin)
        await store.send(.begin)
        try await clock.waitForSleepers(1, dueWithin: .seconds(1))
        clock.advance(by: .seconds(1))
        await store.receive(.heard("3")) { $0 = ["1", "3"] }
        // The time begins anew with what has begun.
        await store.send(.begin)
        try await clock.waitForSleepers(1, dueWithin: .seconds(1))
        clock.advance(by: .seconds(1))
        await store.receive(.heard("4")) { $0 = ["1", "3", "4"] }
        clock.advance(by: .seconds(1))
        await store.send(.begin)
        await store.receive(.heard("5")) { $0 = ["1", "3", "4", "5"] }
        await store.finish()
    }

    @Test func `a throttled effect of which the first counts drops the others`() async {
        let clock = ManualClock()
        var number = 0
        let store = store(clock: clock) {
            number += 1
            return .send(.heard("\(number)")).throttle(id: "scroll", for: .seconds(1), latest: false)
        }
        await store.send(.begin)
        await store.receive(.heard("1")) { $0 = ["1"] }
        await store.send(.begin)
        clock.advance(by: .seconds(1))
        await store.send(.begin)
        await store.receive(.heard("3")) { $0 = ["1", "3"] }
        await store.finish()
    }

    // MARK: Ids inside of effects

    @Test func `a part of an effect is cancelled by its id, and the effect goes on`() async {
        let begun = Gate()
        var isFirst = true
        let store = store {
            guard isFirst else { return .cancel(id: "part") }
            isFirst = false
            return .run(name: "whole") { send in
                do {
                    try await withTaskCancellation(id: "part") {
                        begun.open()
                        try await Task.sleep(for: .seconds(600))
                    }
                } catch is CancellationError {
                    await send(.heard("cancelled"))
                }
            }
        }
        await store.send(.begin)
        await begun.pass()
        await store.send(.begin)
        await store.receive(.heard("cancelled")) { $0 = ["cancelled"] }
        #expect(store.cancelledEffects.map(\.name) == ["whole, part"])
        await store.finish()
    }

    @Test func `what a cancelled part sends is not heard, and the effect's own is`() async {
        let begun = Gate()
        var isFirst = true
        let store = store {
            guard isFirst else { return .cancel(id: "part") }
            isFirst = false
            return .run(name: "whole") { send in
                try? await withTaskCancellation(id: "part") {
                    begun.open()
                    try? await Task.sleep(for: .seconds(600))
                    await send(.heard("from the part"))
                }
                await send(.heard("from the effect"))
            }
        }
        await store.send(.begin)
        await begun.pass()
        await store.send(.begin)
        await store.receive(.heard("from the effect")) { $0 = ["from the effect"] }
        await store.finish()
    }

    @Test func `an effect's catch knows its ids too`() async {
        struct Broken: Error {}
        let store = store {
            .run(name: "whole") { _ in
                throw Broken()
            } catch: { _, send in
                try? await withTaskCancellation(id: "part") { await send(.heard("caught")) }
                Task.cancel(id: "part")
            }
        }
        await store.send(.begin)
        await store.receive(.heard("caught")) { $0 = ["caught"] }
        await store.finish()
    }

    @Test func `an effect cancels by an id what its feature runs`() async {
        var number = 0
        let store = store {
            number += 1
            return number == 1
                ? .run(name: "long") { _ in try await Task.sleep(for: .seconds(600)) }.cancellable(id: "long")
                : .run(name: "short") { send in
                    Task.cancel(id: "long")
                    await send(.heard("done"))
                }
        }
        await store.send(.begin)
        await store.send(.begin)
        await store.receive(.heard("done")) { $0 = ["done"] }
        await store.finish()
        #expect(store.cancelledEffects.map(\.name) == ["long"])
    }

    @Test func `outside an effect a part runs by itself, and a cancellation is reported`() async throws {
        let issues = Log<FeatureIssue>()
        let seven = try await withTaskCancellation(id: 1) { 7 }
        #expect(seven == 7)
        FeatureIssue.$reporter.withValue({ issues.add($0) }) { Task.cancel(id: 1) }
        #expect(issues.all.map(\.message) == ["Task.cancel(id: 1) was called outside an effect, where no feature runs; call it in the closure of `.run`"])
    }

    @Test func `the way back can be made by a test`() async {
        let log = Log<Action>()
        let send = Send<Action> { log.add($0) }
        send(.heard("by hand"))
        #expect(log.all == [.heard("by hand")])
    }
}
