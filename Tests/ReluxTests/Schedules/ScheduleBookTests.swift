@testable import Relux
import Testing

private enum Domain { enum Effect: Relux.Effect { case tick } }

/// The book of one schedule, turned by hand.
private struct Turned {
    var book = Relux.ScheduleBook()
    var now: Relux.WallTime
    var moment = Duration.zero
    /// The places that a journal has.
    var places: [String: Relux.SchedulePlace] = [:]
    var logs: [String] = []
    let schedules: [Relux.Schedule]

    init(_ schedules: Relux.Schedule..., at now: Relux.WallTime) {
        (self.schedules, self.now) = (schedules, now)
        begin()
    }

    /// Another life of the module, with what the journal has.
    mutating func begin() {
        book = Relux.ScheduleBook()
        _ = take(book.begin(schedules, places: places, at: now))
    }

    mutating func take(_ actions: [Relux.ScheduleBook.Action]) -> [(tick: Relux.Tick, place: Relux.SchedulePlace)] {
        actions.compactMap { action in
            switch action {
            case .note(let place): places[place.name] = place
            case .log(let line): logs.append(line)
            case .fire(let tick, _, let place): return (tick, place)
            }
            return nil
        }
    }

    /// The ticks that are due; `isAccepted`: they are emitted and settled at once.
    mutating func turn(isAccepted: Bool = true) -> [Relux.Tick] {
        var ticks: [Relux.Tick] = []
        while true {
            let fired = take(book.turn(at: now, moment: moment).actions)
            if fired.isEmpty { return ticks }
            for (tick, place) in fired {
                ticks.append(tick)
                guard isAccepted else { continue }
                places[place.name] = place
                book.answered(tick, isAccepted: true, moment: moment)
                book.ended(tick)
            }
            if !isAccepted { return ticks }
        }
    }

    /// Writes the schedule's place into the journal, as a pause and its end do.
    mutating func note() { places["tick"] = book.sayablePlace(of: "tick") }

    mutating func pass(_ span: Duration) {
        now = now + span
        moment += span
    }
}

@Suite struct ScheduleBookTests {
    private let start = Relux.WallTime(2026, 11, 29, 12, 0, 30)

    private func every(_ interval: Duration, jitter: Duration = .zero, missed: Relux.Schedule.Missed = .coalesce) -> Relux.Schedule {
        .every(interval, "tick", jitter: jitter, missed: missed) { _ in Domain.Effect.tick }
    }

    private func dues(_ ticks: [Relux.Tick]) -> [String] { ticks.map { "\($0.due)" + ($0.missed == 0 ? "" : " +\($0.missed)") } }

    @Test func `a tick comes when its time comes, and the book says how long that takes`() throws {
        var turned = Turned(every(.seconds(60)), at: start)
        #expect(turned.turn().isEmpty)
        #expect(turned.book.turn(at: turned.now, moment: turned.moment).next == .seconds(30))
        turned.pass(.seconds(30))
        #expect(dues(turned.turn()) == ["2026-11-29T12:01:00Z"])
        #expect(turned.turn().isEmpty)
        #expect(turned.book.turn(at: turned.now, moment: turned.moment).next == .seconds(60))
    }

    @Test func `another life goes on from what the journal has: no tick twice, none left out`() {
        var turned = Turned(every(.seconds(60)), at: start)
        turned.pass(.seconds(30))
        #expect(dues(turned.turn()) == ["2026-11-29T12:01:00Z"])
        turned.begin()
        #expect(turned.turn().isEmpty)
        // Away over a tick.
        turned.pass(.seconds(90))
        turned.begin()
        #expect(dues(turned.turn()) == ["2026-11-29T12:02:00Z"])
        // Emitted, and the process died before the journal had it: nobody has heard of it either.
        turned.pass(.seconds(60))
        #expect(dues(turned.turn(isAccepted: false)) == ["2026-11-29T12:03:00Z"])
        turned.begin()
        #expect(dues(turned.turn()) == ["2026-11-29T12:03:00Z"])
    }

    @Test func `missed ticks are left out, made up for or stood for, as the schedule says`() {
        for (missed, expected) in [
            (Relux.Schedule.Missed.coalesce, ["2026-11-29T12:05:00Z +4"]), (.catchUp, (1...5).map { "2026-11-29T12:0\($0):00Z" }),
            // 59 s late is not missed.
            (.skip, ["2026-11-29T12:05:00Z +4"]),
        ] {
            var turned = Turned(every(.seconds(60), missed: missed), at: start)
            turned.pass(.seconds(5 * 60 + 29))
            turned.begin()
            #expect(dues(turned.turn()) == expected)
            #expect(turned.turn().isEmpty)
        }
        var late = Turned(every(.seconds(3_600), missed: .skip), at: start)
        late.pass(.seconds(2 * 3_600 + 31))
        #expect(late.turn().isEmpty)
        #expect(late.logs == ["schedule tick: 2 ticks from 2026-11-29T13:00:00Z to 2026-11-29T14:00:00Z were missed and left out (missed: skip)"])
        #expect(late.places["tick"]?.last == Relux.WallTime(2026, 11, 29, 14))
        late.pass(.seconds(3_599))
        #expect(dues(late.turn()) == ["2026-11-29T15:00:00Z"])
    }

    @Test func `a month without the module is looked through at once: very many missed ticks are counted up to the limit`() {
        var turned = Turned(every(.seconds(1)), at: start)
        turned.pass(.seconds(30 * 86_400))
        #expect(dues(turned.turn()) == ["2026-12-29T12:00:30Z +999"])
        var catching = Turned(every(.seconds(1), missed: .catchUp), at: start)
        catching.pass(.seconds(30 * 86_400))
        let ticks = catching.turn()
        #expect(ticks.count == 1_000)
        #expect(ticks.last?.due == catching.now)
        #expect(catching.logs.count == 1)
        var cron = Turned(.cron("* * 1 1 *", "tick", missed: .catchUp) { _ in Domain.Effect.tick }, at: Relux.WallTime(2026, 12, 31))
        cron.pass(.seconds(40 * 86_400))
        #expect(cron.turn().count == 1_000)
        #expect(cron.places["tick"]?.last == Relux.WallTime(2027, 1, 1, 23, 59))
    }

    @Test func `one tick is under way at a time: those that come due meanwhile are missed ones`() throws {
        var turned = Turned(every(.seconds(10)), at: start)
        turned.pass(.seconds(10))
        let tick = try #require(turned.take(turned.book.turn(at: turned.now, moment: turned.moment).actions).first?.tick)
        turned.book.answered(tick, isAccepted: true, moment: turned.moment)
        turned.pass(.seconds(35))
        #expect(turned.turn().isEmpty)
        #expect(turned.book.turn(at: turned.now, moment: turned.moment).next == nil)
        turned.book.ended(tick)
        #expect(dues(turned.turn()) == ["2026-11-29T12:01:10Z +2"])
    }

    @Test func `a tick that is refused is emitted later, each time after a longer pause`() throws {
        var turned = Turned(every(.seconds(3_600)), at: start)
        turned.pass(.seconds(3_600))
        for pause in [1, 2, 4, 8, 16, 32, 60, 60] {
            let tick = try #require(turned.take(turned.book.turn(at: turned.now, moment: turned.moment).actions).first?.tick)
            #expect("\(tick.due)" == "2026-11-29T13:00:00Z")
            // Whoever waits for it is told before it is known here.
            turned.book.ended(tick)
            #expect(turned.turn().isEmpty)
            turned.book.answered(tick, isAccepted: false, moment: turned.moment)
            #expect(turned.book.turn(at: turned.now, moment: turned.moment).next == .seconds(pause))
            turned.pass(.seconds(pause))
        }
        #expect(dues(turned.turn()) == ["2026-11-29T13:00:00Z"])
        #expect(turned.places["tick"]?.last == Relux.WallTime(2026, 11, 29, 13))
    }

    @Test func `a paused schedule stays paused in the next life, and goes on with its next time`() {
        var turned = Turned(every(.seconds(60)), at: start)
        #expect(turned.book.pause("tick") == true)
        #expect(turned.book.pause("tick") == false)
        turned.note()
        turned.pass(.seconds(300))
        turned.begin()
        #expect(turned.turn().isEmpty)
        #expect(turned.book.resume("tick", at: turned.now) == true)
        #expect(turned.book.resume("tick", at: turned.now) == false)
        #expect(turned.turn().isEmpty)
        turned.pass(.seconds(30))
        #expect(dues(turned.turn()) == ["2026-11-29T12:06:00Z"])
        #expect(turned.book.pause("other") == nil)
        #expect(turned.book.resume("other", at: turned.now) == nil)
    }

    @Test func `while a tick is asked for nothing else is said of its schedule, so that no place goes back behind it`() throws {
        for isAccepted in [true, false] {
            var turned = Turned(every(.seconds(60)), at: start)
            turned.pass(.seconds(30))
            let (tick, place) = try #require(turned.take(turned.book.turn(at: turned.now, moment: turned.moment).actions).first)
            #expect(turned.book.pause("tick") == true)
            #expect(turned.book.sayablePlace(of: "tick") == nil)
            if isAccepted { turned.places["tick"] = place }
            turned.book.answered(tick, isAccepted: isAccepted, moment: turned.moment)
            turned.note()
            #expect(turned.places["tick"]?.isPaused == true)
            #expect(turned.places["tick"]?.last == (isAccepted ? tick.due : start))
        }
    }

    @Test func `a clock that goes back a little makes no tick twice; one that goes back far begins anew, and says so`() {
        var turned = Turned(every(.seconds(60)), at: start)
        turned.pass(.seconds(30))
        #expect(turned.turn().count == 1)
        turned.now = turned.now + .seconds(-20)
        #expect(turned.turn().isEmpty)
        turned.pass(.seconds(20))
        #expect(turned.turn().isEmpty)
        turned.now = turned.now + .seconds(-86_400)
        #expect(turned.turn().isEmpty)
        #expect(turned.logs.count == 1)
        #expect(turned.places["tick"]?.isSetBack == true && turned.places["tick"]?.last == turned.now)
        turned.pass(.seconds(60))
        #expect(dues(turned.turn()) == ["2026-11-28T12:02:00Z"])
    }

    @Test func `jitter follows from name and time: it is the same again, within its limit, and differs from tick to tick`() {
        let schedule = every(.seconds(60), jitter: .seconds(30))
        let spans = (0..<200).map { index in
            let due = start + .seconds(60 * index)
            return schedule.emission(of: due) - due
        }
        #expect(spans.allSatisfy { $0 >= .zero && $0 <= .seconds(30) })
        #expect(Set(spans).count > 150)
        #expect(spans == (0..<200).map { index in every(.seconds(60), jitter: .seconds(30)).emission(of: start + .seconds(60 * index)) - (start + .seconds(60 * index)) })
        var turned = Turned(schedule, at: start)
        var ticks: [Relux.Tick] = []
        for _ in 0..<600 {
            turned.pass(.seconds(1))
            ticks += turned.turn()
        }
        #expect(ticks.map(\.due) == (0..<ticks.count).map { Relux.WallTime(2026, 11, 29, 12, 1 + $0) })
        #expect((9...10).contains(ticks.count))
    }

    @Test func `once is once: over lives too, and not for a time that passed before the first`() {
        var turned = Turned(.at(start + .seconds(100), "tick") { _ in Domain.Effect.tick }, at: start)
        turned.pass(.seconds(200))
        turned.begin()
        #expect(dues(turned.turn()) == ["2026-11-29T12:02:10Z"])
        turned.begin()
        turned.pass(.seconds(200))
        #expect(turned.turn().isEmpty)
        var past = Turned(.at(start + .seconds(-1), "tick") { _ in Domain.Effect.tick }, at: start)
        #expect(past.turn().isEmpty)
        #expect(past.logs.count == 1)
    }

    @Test func `a schedule that a build does not have any more is noted as removed, and begins anew when it comes back`() {
        var turned = Turned(every(.seconds(60)), at: start)
        turned.pass(.seconds(30))
        #expect(turned.turn().count == 1)
        var without = Relux.ScheduleBook()
        for case .note(let place) in without.begin([], places: turned.places, at: turned.now) { turned.places[place.name] = place }
        #expect(turned.places["tick"]?.isRemoved == true)
        turned.pass(.seconds(600))
        turned.begin()
        #expect(turned.turn().isEmpty)
        #expect(turned.places["tick"]?.isRemoved == false)
    }

    @Test func `a rule that a build changes goes on from the last tick`() {
        var turned = Turned(every(.seconds(60)), at: start)
        turned.pass(.seconds(30))
        #expect(turned.turn().count == 1)
        var other = Turned(every(.seconds(45)), at: turned.now)
        other.places = turned.places
        other.begin()
        #expect(other.places["tick"]?.rule == "every 45s")
        other.pass(.seconds(30))
        #expect(dues(other.turn()) == ["2026-11-29T12:01:30Z"])
    }
}
