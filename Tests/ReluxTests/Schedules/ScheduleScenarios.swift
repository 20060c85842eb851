@testable import Relux
import ReluxTestKit
import Synchronization
import Testing

private enum Poll {
    enum Effect: Relux.Effect, Equatable { case tick(due: Relux.WallTime, missed: Int) }

    struct Module: Relux.Module {
        static var moduleID: ModuleID { "Poll" }
        var handles: [any Relux.Effect.Type]? { [Effect.self] }
        var emits: [any Relux.Effect.Type]? { [Effect.self] }
        let states: [any Relux.AnyState] = []
        let sagas: [any Relux.Saga]
        let schedules: [Relux.Schedule]

        init(_ schedules: [Relux.Schedule], _ saga: any Relux.Saga) { (self.schedules, sagas) = (schedules, [saga]) }
    }

    actor Saga: Relux.Saga {
        let seen = Recorder<Effect>()
        let gate: Gate?

        init(_ gate: Gate? = nil) { self.gate = gate }

        func apply(_ effect: any Relux.Effect) async {
            guard let effect = effect as? Effect else { return }
            await gate?.pass()
            seen.record(effect)
        }
    }

    static func every(_ interval: Duration, missed: Relux.Schedule.Missed = .coalesce) -> Relux.Schedule {
        .every(interval, "poll", missed: missed) { Effect.tick(due: $0.due, missed: $0.missed) }
    }
}

/// Modules with schedules on a clock that is turned by hand.
@Suite(.timeLimit(.minutes(1))) struct ScheduleScenarios {
    let clock = ManualClock()
    let relux: Relux
    private let saga = Poll.Saga()
    private let start = Relux.WallTime(2001, 1, 1)

    init() { relux = Relux(clock: clock.nodeClock) }

    @Test func `Given a module with a schedule, when the virtual clock is turned, then its effect comes at each time, and to its own sagas`() async throws {
        try await relux.add(Poll.Module([Poll.every(.seconds(30))], saga))
        for count in 1...40 {
            try await clock.waitForSleepers(dueWithin: .seconds(30))
            clock.advance(by: .seconds(30))
            #expect(try await saga.seen.wait(count: count).last == .tick(due: start + .seconds(30 * count), missed: 0))
        }
    }

    @Test func `Given a tick that is under way, when others come due, then one stands for all of them`() async throws {
        let gate = Gate()
        let slow = Poll.Saga(gate)
        try await relux.add(Poll.Module([Poll.every(.seconds(1))], slow))
        try await clock.waitForSleepers(dueWithin: .seconds(1))
        clock.advance(by: .seconds(1))
        try await gate.waitForArrivals(1)
        clock.advance(by: .seconds(5))
        gate.open()
        #expect(try await slow.seen.wait(count: 2) == [.tick(due: start + .seconds(1), missed: 0), .tick(due: start + .seconds(6), missed: 4)])
    }

    @Test func `Given a module that leaves, when its time comes, then nothing is emitted any more`() async throws {
        let module = Poll.Module([Poll.every(.seconds(30))], saga)
        try await relux.add(module)
        try await clock.waitForSleepers(dueWithin: .seconds(30))
        await relux.unregister(module)
        clock.advance(by: .seconds(60))
        #expect(clock.sleeping == 0)
        #expect(saga.seen.elements.isEmpty)
        #expect(relux.refusedRegistrations.isEmpty)
    }

    @Test func `Given schedules that cannot be kept, when their module is registered, then it is refused with name, place, value and remedy`() async {
        for (schedules, message) in [
            ([Relux.Schedule.cron("0 25 * * *", "daily") { _ in Work.a }], "the schedule \"daily\" at ReluxTests/ScheduleScenarios.swift:"),
            ([.cron("0 25 * * *", "daily") { _ in Work.a }], "\"25\" is not 0 to 23"),
            ([.cron("0 8 * * *", in: "Europe/Bonn", "daily") { _ in Work.a }], "the time zone \"Europe/Bonn\" has no file"),
            ([.every(.milliseconds(9), "fast") { _ in Work.a }], "its interval is 0.009 seconds; it takes 10 ms to 100 years"),
            ([.every(.seconds(-1), "back") { _ in Work.a }], "it takes 10 ms to 100 years"),
            ([.every(.seconds(1), "far", jitter: .seconds(1)) { _ in Work.a }], "shorter than its interval"),
            ([.every(.seconds(1), "far", jitter: .seconds(-1)) { _ in Work.a }], "it takes 0 to a day"),
            ([.cron("0 8 * * *", "far", jitter: .seconds(Int64.max)) { _ in Work.a }], "it takes 0 to a day"),
            ([.every(.microseconds(10_500), "odd") { _ in Work.a }], "it takes whole milliseconds"),
            ([.every(.seconds(1), "no name") { _ in Work.a }], "take 1 to 64 letters"),
            ([.every(.seconds(1), "") { _ in Work.a }], "take 1 to 64 letters"),
            ([Poll.every(.seconds(1)), Poll.every(.seconds(2))], "has the name of another one"),
            ([.every(.seconds(1), "other") { _ in Work.a }], "emits Work, which the module does not declare; name it in `emits`"),
        ] as [([Relux.Schedule], String)] {
            let error = await #expect(throws: Relux.RegistrationError.self) { try await relux.add(Poll.Module(schedules, saga)) }
            #expect(error?.code == .unusableSchedule)
            #expect(error?.message.contains(message) == true, "\(error?.message ?? "")")
        }
        let many = (0..<65).map { Relux.Schedule.every(.seconds(1), "s\($0)") { Poll.Effect.tick(due: $0.due, missed: 0) } }
        await #expect(throws: Relux.RegistrationError.self) { try await relux.add(Poll.Module(many, saga)) }
        #expect(relux.modules.isEmpty)
    }

    @Test func `Given a schedule, when it is fired by hand, then its effect comes besides its ticks, and its id is known`() async throws {
        try await relux.add(Poll.Module([Poll.every(.seconds(30))], saga))
        let scheduler = try #require(relux.schedulers.withLock { $0["Poll"] })
        #expect(try await scheduler.pause("poll"))
        #expect(try await !scheduler.pause("poll"))
        clock.advance(by: .seconds(45))
        let effect = try await scheduler.fire("poll")
        #expect(effect.module == "Poll")
        #expect(try await saga.seen.wait(count: 1) == [.tick(due: start + .seconds(45), missed: 0)])
        #expect(try await scheduler.resume("poll"))
        try await clock.waitForSleepers(dueWithin: .seconds(15))
        clock.advance(by: .seconds(15))
        #expect(try await saga.seen.wait(count: 2).last == .tick(due: start + .seconds(60), missed: 0))
        let failure = await #expect(throws: Relux.Failure.self) { try await scheduler.fire("pool") }
        #expect(failure?.message == "Poll has no schedule \"pool\"; it has poll")
    }

    @Test func `Given a module that has left or is not open, when its schedule is paused or fired, then nothing is done, and that is said`() async throws {
        let module = Poll.Module([Poll.every(.seconds(30))], saga)
        try await relux.add(module)
        let scheduler = try #require(relux.schedulers.withLock { $0["Poll"] })
        await relux.unregister(module)
        let paused = await #expect(throws: Relux.Failure.self) { _ = try await scheduler.pause("poll") }
        let fired = await #expect(throws: Relux.Failure.self) { _ = try await scheduler.fire("poll") }
        for failure in [paused, fired] { #expect(failure?.code == "closed" && failure?.message == "Poll is not open now; nothing was done") }
    }
}
