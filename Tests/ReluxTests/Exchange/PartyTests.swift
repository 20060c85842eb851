import Testing

@testable import Relux

@Suite struct PartyTests {
    private func party(isSerial: Bool = false, admission: Relux.Party.Admission = .open) -> Relux.Party {
        Relux.Party(
            id: "P", handler: Nothing(), handles: nil, emits: nil, isSerial: isSerial, admission: admission)
    }
    private func delivery(_ n: UInt64) -> Relux.Delivery {
        Relux.Delivery(
            id: EffectID(module: "A", position: n), topic: "Work", content: .effect(Work.a), ancestry: [], awaitDepth: 0,
            deadline: nil)
    }

    @Test func `a delivery that comes while a drain is on its way starts no second one`() {
        var party = party()
        let starts = party.enqueue(delivery(1))
        #expect(starts)
        let startsAgain = party.enqueue(delivery(2))
        #expect(!startsAgain)
        let taken = party.take()
        #expect(taken?.id.position == 1)
        let startsAtLast = party.enqueue(delivery(3))
        #expect(!startsAtLast)
    }

    @Test func `a drain that has the baton goes on, and nobody can come between`() throws {
        var party = party()
        _ = party.enqueue(delivery(1))
        _ = party.enqueue(delivery(2))
        let run = try #require(party.take()?.run)
        let (next, kick) = party.finish(run)
        #expect(next?.id.position == 2)
        #expect(!kick)
        let starts = party.enqueue(delivery(3))
        #expect(!starts)
        let taken = party.take()
        #expect(taken == nil)
    }

    @Test func `a handler that awaits passes the baton only when the last of its sagas has begun`() throws {
        var party = party()
        for number in UInt64(1)...2 { _ = party.enqueue(delivery(number)) }
        let first = try #require(party.take()?.run)
        party.starts(first, sagas: 2)
        let begins = [party.begin(first, now: 0), party.awaitBegan(first)]
        #expect(begins == [false, false])
        let early = party.take()
        #expect(early == nil)
        let passes = party.begin(first, now: 0)
        #expect(passes)
        let second = party.take()
        #expect(second?.id.position == 2)
    }

    @Test func `a handler that awaits passes the baton and gives its slot back`() throws {
        var party = party()
        _ = party.enqueue(delivery(1))
        let first = try #require(party.take()?.run)
        _ = party.enqueue(delivery(2))
        let passes = party.awaitBegan(first)
        #expect(passes)
        #expect(party.running == 0)
        let second = try #require(party.take()?.run)
        party.awaitEnded(first)
        #expect(party.running == 2)
        let finished = party.finish(first)
        #expect(finished.next == nil)
        let finishedAgain = party.finish(second)
        #expect(finishedAgain.next == nil)
        #expect(party.isIdle)
        #expect(party.running == 0)
    }

    @Test func `of a concurrent batch only the first await gives the slot back and only the last takes it again`() throws {
        var party = party()
        _ = party.enqueue(delivery(1))
        let run = try #require(party.take()?.run)
        _ = party.awaitBegan(run)
        _ = party.awaitBegan(run)
        #expect(party.running == 0)
        party.awaitEnded(run)
        #expect(party.running == 0)
        party.awaitEnded(run)
        party.awaitEnded(run)
        #expect(party.running == 1)
    }

    @Test func `a serial party keeps the baton while its handler awaits or runs long`() throws {
        var party = party(isSerial: true)
        _ = party.enqueue(delivery(1))
        let run = try #require(party.take()?.run)
        _ = party.enqueue(delivery(2))
        let passes = party.awaitBegan(run)
        #expect(!passes)
        party.awaitEnded(run)
        party.runs[run]?.drain.begins(0)
        let isOvertaken = party.overrun(now: .seconds(1), limit: .milliseconds(1))
        #expect(!isOvertaken)
        #expect(!party.isCrowded)
        let finished = party.finish(run)
        #expect(finished.next?.id.position == 2)
    }

    @Test func `a handler is overtaken only after its states have reduced, and after the limit`() throws {
        var party = party()
        _ = party.enqueue(delivery(1))
        let run = try #require(party.take()?.run)
        _ = party.enqueue(delivery(2))
        let isOvertaken = party.overrun(now: .seconds(1), limit: .milliseconds(1))
        #expect(!isOvertaken)
        party.runs[run]?.drain.begins(1_000_000_000)
        let isOvertakenAgain = party.overrun(now: .seconds(1), limit: .milliseconds(1))
        #expect(!isOvertakenAgain)
        let isOvertakenAtLast = party.overrun(now: .seconds(2), limit: .milliseconds(1))
        #expect(isOvertakenAtLast)
        let taken = party.take()
        #expect(taken?.id.position == 2)
    }

    @Test func `no handler starts while 64 run, and the end of any starts the next`() throws {
        var party = party()
        var runs: [UInt64] = []
        for n in 1...65 {
            _ = party.enqueue(delivery(UInt64(n)))
            guard n <= 64 else { break }
            let run = try #require(party.take()?.run)
            runs.append(run)
            party.runs[run]?.drain.begins(0)
            if n < 64 {
                _ = party.enqueue(delivery(1000))
                let isOvertaken = party.overrun(now: .seconds(1), limit: .milliseconds(1))
                #expect(isOvertaken)
                _ = party.queue.popFirst()
                party.drainPending = false
            }
        }
        #expect(party.running == 64)
        let isOvertakenAgain = party.overrun(now: .seconds(1), limit: .milliseconds(1))
        #expect(!isOvertakenAgain)
        let finished = party.finish(runs[0])
        #expect(finished.kick == false)
        let isOvertakenAtLast = party.overrun(now: .seconds(1), limit: .milliseconds(1))
        #expect(isOvertakenAtLast)
        let taken = party.take()
        #expect(taken != nil)
    }

    @Test func `a held party starts nothing until it is opened`() {
        var party = party(admission: .held)
        let starts = party.enqueue(delivery(1))
        #expect(!starts)
        let taken = party.take()
        #expect(taken == nil)
        party.admission = .open
        let wants = party.wantsDrain()
        #expect(wants)
        let takenAgain = party.take()
        #expect(takenAgain != nil)
    }
}

struct Nothing: Relux.EffectHandling {
    nonisolated(nonsending) func handle(_ delivery: Relux.Delivery, in handler: Relux.Scope.Handler) async -> Relux.ActionResult { .success }
}
