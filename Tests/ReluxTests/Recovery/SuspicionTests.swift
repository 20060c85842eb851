import ReluxTestKit
import Testing

@testable import Relux

@Suite struct SuspicionTests {
    private func delivery(_ position: UInt64, ancestry: [EffectID] = []) -> Relux.Delivery {
        Relux.Delivery(
            id: .far(position), topic: "Work", content: .effect(Work.a), ancestry: ancestry, awaitDepth: 0, deadline: nil)
    }
    private func party(_ suspects: UInt64..., isSerial: Bool = false) -> Relux.Party {
        var party = Relux.Party(
            id: "M", handler: Nothing(), handles: nil, emits: nil, isSerial: isSerial, admission: .open)
        party.suspicion = Relux.Suspicion(suspects.map { .init(effect: .far($0), deaths: 1, wasAlone: false) })
        party.suspicion?.begin(now: .zero)
        return party
    }
    /// Queues them, takes what may be started, and gives its number.
    private func take(_ party: inout Relux.Party) -> (number: UInt64, run: UInt64)? {
        party.holder = nil
        return party.take().map { ($0.id.position, $0.run) }
    }
    private func finish(_ party: inout Relux.Party, _ run: UInt64) {
        party.holder = nil
        _ = party.finish(run)
    }

    @Test func `suspects go first, one at a time and in order, whatever order they come in`() throws {
        var party = party(3, 1)
        for n in UInt64(1)...4 { _ = party.enqueue(delivery(n)) }
        var order: [UInt64] = []
        while let (number, run) = take(&party) {
            order.append(number)
            if order.count <= 2 {
                let beside = take(&party)?.number
                #expect(beside == nil, "nothing runs beside \(number)")
            }
            finish(&party, run)
        }
        #expect(order == [3, 1, 2, 4])
        #expect(party.suspicion == nil)
    }

    @Test func `others wait for a suspect that has not come, but no longer than the patience`() throws {
        var party = party(9, 2)
        for n in UInt64(1)...2 { _ = party.enqueue(delivery(n)) }
        #expect(!party.hasNext)
        let early = party.endPatience(now: .seconds(4))
        #expect(!early)
        #expect(!party.hasNext)
        let kicks = party.endPatience(now: .seconds(5))
        #expect(kicks)
        party.drainPending = false
        let nextfirst = take(&party)
        let (first, run) = try #require(nextfirst)
        #expect(first == 2, "the one that is here still goes first")
        finish(&party, run)
        let taken1 = take(&party)?.number
        #expect(taken1 == 1)
        // The late one is known when it comes.
        _ = party.enqueue(delivery(9))
        let nextlate = take(&party)
        let (late, lateRun) = try #require(nextlate)
        #expect(late == 9)
        #expect(party.suspicion?.attempt(of: lateRun)?.isCharged == false)
    }

    @Test func `deliveries of the suspect's root may start beside it, others not`() throws {
        var party = party(5)
        _ = party.enqueue(delivery(5, ancestry: [.far(1)]))
        _ = party.enqueue(delivery(6))
        _ = party.enqueue(delivery(7, ancestry: [.far(1), .far(5)]))
        let chosen = take(&party)
        let (_, run) = try #require(chosen)
        _ = party.awaitBegan(run)
        let taken2 = take(&party)?.number
        #expect(taken2 == 7)
        let taken5 = take(&party)?.number
        #expect(taken5 == nil)
        finish(&party, run)
        let taken3 = take(&party)?.number
        #expect(taken3 == 6)
    }

    @Test func `a suspect that another one waits for goes before it`() throws {
        var party = party(1, 2, 3)
        _ = party.enqueue(delivery(1))
        _ = party.enqueue(delivery(2, ancestry: [.far(1)]))
        _ = party.enqueue(delivery(3, ancestry: [.far(1), .far(2)]))
        var order: [UInt64] = []
        while let (number, run) = take(&party) {
            order.append(number)
            #expect(party.suspicion?.attempt(of: run)?.isCharged == true)
            finish(&party, run)
        }
        #expect(order == [3, 2, 1])
    }

    @Test func `what a running handler waits for is started also while another suspect waits for its turn`() throws {
        var party = party(1, 2)
        _ = party.enqueue(delivery(1))
        _ = party.enqueue(delivery(2))
        let first = take(&party)
        let (_, run) = try #require(first)
        // Said by the suspect, and not awaited: it outlives it, and then awaits something of its own module.
        _ = party.enqueue(delivery(3, ancestry: [.far(1)]))
        let second = take(&party)
        let (child, childRun) = try #require(second)
        #expect(child == 3)
        finish(&party, run)
        _ = party.awaitBegan(childRun)
        _ = party.enqueue(delivery(4, ancestry: [.far(1), .far(3)]))
        let third = take(&party)
        let (needed, neededRun) = try #require(third)
        #expect(needed == 4)
        let beside = take(&party)?.number
        #expect(beside == nil, "the other suspect is still to be alone")
        finish(&party, neededRun)
        party.awaitEnded(childRun)
        finish(&party, childRun)
        let taken = take(&party)?.number
        #expect(taken == 2)
    }

    @Test func `a carried suspect is not waited for; it begins with nothing beside it, and is charged with nothing`() throws {
        var party = Relux.Party(
            id: "M", handler: Nothing(), handles: nil, emits: nil, isSerial: false, admission: .open)
        party.suspicion = Relux.Suspicion(
            [.init(effect: .far(2), deaths: 2, wasAlone: true)], carried: [.init(effect: .far(1), deaths: 1, wasAlone: false)])
        party.suspicion?.begin(now: .zero)
        for n in UInt64(1)...4 { _ = party.enqueue(delivery(n)) }
        let first = take(&party)
        let (suspect, suspectRun) = try #require(first)
        #expect(suspect == 2 && party.suspicion?.attempt(of: suspectRun)?.isCharged == true)
        finish(&party, suspectRun)
        #expect(party.suspicion?.holdsUp == false)
        let second = take(&party)
        let (carried, run) = try #require(second)
        #expect(carried == 1 && party.suspicion?.attempt(of: run)?.isCharged == false)
        let beside = take(&party)?.number
        #expect(beside == nil)
        finish(&party, run)
        #expect(party.suspicion == nil)
        let rest = [take(&party)?.number, take(&party)?.number]
        #expect(rest == [3, 4])
    }

    @Test func `a carried suspect lets those end that run when it comes, with what they wait for, but no longer than the patience`() throws {
        var party = Relux.Party(
            id: "M", handler: Nothing(), handles: nil, emits: nil, isSerial: false, admission: .open)
        party.suspicion = Relux.Suspicion([], carried: [.init(effect: .far(2), deaths: 1, wasAlone: false)])
        party.suspicion?.begin(now: .zero)
        _ = party.enqueue(delivery(1))
        let first = take(&party)
        let (_, run) = try #require(first)
        _ = party.enqueue(delivery(2))
        _ = party.enqueue(delivery(3, ancestry: [.far(1)]))
        let second = take(&party)
        let (needed, neededRun) = try #require(second)
        #expect(needed == 3)
        finish(&party, neededRun)
        let taken = take(&party)?.number
        #expect(taken == nil)
        let kicks = party.endPatience(now: .seconds(5))
        #expect(kicks)
        party.drainPending = false
        let late = take(&party)?.number
        #expect(late == 2)
        finish(&party, run)
    }

    @Test func `one that comes when the patience is over holds up nobody, also where nothing runs`() throws {
        var party = Relux.Party(
            id: "M", handler: Nothing(), handles: nil, emits: nil, isSerial: false, admission: .open)
        party.suspicion = Relux.Suspicion([.init(effect: .far(1), deaths: 1, wasAlone: true)])
        party.suspicion?.begin(now: .zero)
        _ = party.endPatience(now: .seconds(5))
        _ = party.enqueue(delivery(1))
        _ = party.enqueue(delivery(2))
        let first = take(&party)
        let (late, run) = try #require(first)
        #expect(late == 1 && party.suspicion?.attempt(of: run)?.isCharged == false)
        _ = party.awaitBegan(run)
        let beside = take(&party)?.number
        #expect(beside == 2)
    }

    @Test func `beside a suspect that waits, what comes starts a drain only when it may be started`() throws {
        var party = party(1)
        _ = party.enqueue(delivery(1))
        let first = take(&party)
        let (_, run) = try #require(first)
        _ = party.awaitBegan(run)
        party.drainPending = false
        let starts = [party.enqueue(delivery(2)), party.enqueue(delivery(3)), party.enqueue(delivery(4, ancestry: [.far(1)]))]
        #expect(starts == [false, false, true])
        let needed = take(&party)?.number
        #expect(needed == 4)
    }

    @Test func `one that has been alone for long enough gets company: first the next suspect, which nothing is charged to, then the others`() throws {
        var party = party(1, 2)
        for n in UInt64(1)...3 { _ = party.enqueue(delivery(n)) }
        let first = take(&party)
        let (_, run) = try #require(first)
        let before = take(&party)?.number
        #expect(before == nil)
        let kicks = party.release(run)
        #expect(kicks)
        party.drainPending = false
        let second = take(&party)
        let (next, nextRun) = try #require(second)
        #expect(next == 2 && party.suspicion?.attempt(of: nextRun)?.isCharged == false)
        let beside = take(&party)?.number
        #expect(beside == nil, "it has a time without others")
        finish(&party, nextRun)
        #expect(party.suspicion == nil)
        let last = take(&party)?.number
        #expect(last == 3)
        finish(&party, run)
    }

    @Test func `what runs beside a suspect, and does not end, gets company as well`() throws {
        var party = party(1, 2)
        for n in UInt64(1)...2 { _ = party.enqueue(delivery(n)) }
        let first = take(&party)
        let (_, run) = try #require(first)
        _ = party.enqueue(delivery(3, ancestry: [.far(1)]))
        let second = take(&party)
        let (endless, endlessRun) = try #require(second)
        #expect(endless == 3)
        finish(&party, run)
        let before = take(&party)?.number
        #expect(before == nil)
        let kicks = party.release(endlessRun)
        #expect(kicks)
        party.drainPending = false
        let taken = take(&party)?.number
        #expect(taken == 2)
    }

    @Test func `what a suspect in company waits for is started beside the next suspect`() throws {
        var party = party(1, 2)
        for n in UInt64(1)...2 { _ = party.enqueue(delivery(n)) }
        let first = take(&party)
        let (_, run) = try #require(first)
        _ = party.release(run)
        party.drainPending = false
        let second = take(&party)?.number
        #expect(second == 2)
        _ = party.awaitBegan(run)
        _ = party.enqueue(delivery(4, ancestry: [.far(1)]))
        let needed = take(&party)?.number
        #expect(needed == 4)
    }

    @Test func `what a suspect in company needs is company as well, so the next suspect need not wait for an end of it`() throws {
        var party = party(1, 2)
        for n in UInt64(1)...2 { _ = party.enqueue(delivery(n)) }
        let first = take(&party)
        let (_, run) = try #require(first)
        _ = party.enqueue(delivery(4, ancestry: [.far(1)]))
        let second = take(&party)?.number
        #expect(second == 4)
        _ = party.release(run)
        party.drainPending = false
        _ = party.enqueue(delivery(5, ancestry: [.far(1)]))
        let third = take(&party)
        let (next, nextRun) = try #require(third)
        #expect(next == 2 && party.suspicion?.attempt(of: nextRun)?.isCharged == false)
        let needed = take(&party)?.number
        #expect(needed == 5)
    }

    @Test func `what a suspect in company leaves behind is no company any more`() throws {
        var party = party(1, 2)
        for n in UInt64(1)...2 { _ = party.enqueue(delivery(n)) }
        let first = take(&party)
        let (_, run) = try #require(first)
        _ = party.enqueue(delivery(4, ancestry: [.far(1)]))
        let second = take(&party)
        let (_, childRun) = try #require(second)
        _ = party.release(run)
        party.drainPending = false
        finish(&party, run)
        let before = take(&party)?.number
        #expect(before == nil)
        finish(&party, childRun)
        let next = take(&party)
        let (number, nextRun) = try #require(next)
        #expect(number == 2 && party.suspicion?.attempt(of: nextRun)?.isCharged == true)
    }

    @Test func `when the budget is spent, the one that is alone still has its time, and the others are started as they came`() throws {
        var party = party(2, 4, 3)
        for n in UInt64(1)...4 { _ = party.enqueue(delivery(n)) }
        let first = take(&party)
        let (alone, run) = try #require(first)
        #expect(alone == 2 && party.suspicion?.attempt(of: run)?.isCharged == true)
        let ends = [party.endBudget(now: .seconds(16) - .nanoseconds(1)), party.endBudget(now: .seconds(16))]
        #expect(ends == [false, false])
        let before = take(&party)?.number
        #expect(before == nil)
        let kicks = party.release(run)
        #expect(kicks)
        party.drainPending = false
        var order: [UInt64] = []
        while let (number, run) = take(&party) {
            order.append(number)
            #expect(party.suspicion?.attempt(of: run)?.isCharged != true)
        }
        #expect(order == [1, 3, 4])
    }

    @Test(arguments: [(deaths: 0, seconds: 1), (1, 1), (2, 2), (3, 4), (4, 8), (5, 16), (9, 16)])
    func `a suspect is alone for longer after each of the first deaths`(deaths: Int, seconds: Int) {
        #expect(Relux.Suspicion.loneliness(after: deaths) == .seconds(seconds))
    }

    @Test func `one that leaves waits for nobody`() {
        var party = party(9)
        _ = party.enqueue(delivery(1))
        party.close()
        let taken4 = take(&party)?.number
        #expect(taken4 == 1)
    }

    private struct Nothing: Relux.EffectHandling {
        nonisolated(nonsending) func handle(_ delivery: Relux.Delivery, in handler: Relux.Scope.Handler) async -> Relux.ActionResult { .success }
    }
}
