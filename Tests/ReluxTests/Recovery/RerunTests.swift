import ReluxTestKit
import Synchronization
import Testing

@testable import Relux

/// A handler that died halfway, and its second run.
@Suite(.timeLimit(.minutes(1))) struct RerunTests {
    private let clock = ManualClock()

    private func module(_ body: @escaping @Sendable (Work) async -> Relux.ActionResult) -> Plain {
        Plain("M", sagas: [Doing(body)])
    }

    /// Runs `.a` (`Far#1`) until the journal has `records`, dies, and runs it again to its end.
    private func rerun(
        after records: Int, answers: Bool = true,
        _ body: @escaping @Sendable (_ life: Int) async -> Relux.ActionResult
    ) async throws -> FakeJournal {
        let first = Life(on: FakeJournal(dyingAfter: records, answers: answers))
        try await first.join(module { _ in await body(1) })
        first.node.openModule()
        try first.deliver(.a, 1)
        try await first.journal.state.wait(for: "its death") { $0.isDead }
        first.journal.kill()
        let second = Life(on: FakeJournal(first.journal.records))
        try await second.join(module { _ in await body(2) })
        second.node.openModule()
        try second.deliver(.a, 1)
        try await second.journal.waitForSettlements(1)
        return second.journal
    }

    @Test(arguments: 1...4) func `a handler that died between two awaits emits nothing twice`(records: Int) async throws {
        let journal = try await rerun(after: records) { _ in
            await actions { Reply.ping(1) }
            await actions { Reply.ping(2) }
            return .success
        }
        #expect(journal.effects.map(\.sequence) == [1, 2])
        #expect(journal.effects.map(\.id.position) == [1, 2])
        #expect(journal.settlements[0].diverged.isEmpty)
    }

    @Test func `both runs of a handler are told the same id, and nobody else is told one`() async throws {
        let seen = Recorder<EffectID?>()
        _ = try await rerun(after: 1) { _ in
            seen.record(Relux.handledEffect)
            await actions { Reply.ping(1) }
            return .success
        }
        #expect(seen.elements == [.far(1), .far(1)])
        #expect(Relux.handledEffect == nil)
    }

    @Test func `an answer that came in the first life is the result in the second`() async throws {
        let journal = try await rerun(after: 2) { _ in await actions { Reply.ping(1) } }
        #expect(journal.effects.count == 1)
        #expect(journal.settlements[0].result.isSuccess)
    }

    @Test func `who says again what is not answered yet waits for that very effect`() async throws {
        let journal = try await rerun(after: 1, answers: false) { _ in await actions { Reply.ping(1) } }
        #expect(journal.effects.count == 1)
        #expect(journal.settlements[0].result.isSuccess)
    }

    @Test func `a re-run that waits for an absent recipient goes on at once, and gets the answer if that has come meanwhile`() async throws {
        for isBack in [false, true] {
            let first = Life(on: FakeJournal(dyingAfter: 2, answers: false))
            first.setAbsent("gone")
            try await first.join(module { _ in
                _ = await actions { Reply.ping(1) }
                _ = await actions { Reply.ping(2) }
                return .success
            })
            first.node.openModule()
            try first.deliver(.a, 1)
            try await first.journal.state.wait(for: "its death") { $0.isDead }
            let second = Life(on: FakeJournal(first.journal.records, answers: false))
            if !isBack { second.setAbsent("gone") }
            let seen = Recorder<Relux.ActionResult>()
            try await second.join(module { _ in
                seen.record(await actions { Reply.ping(1) })
                return .success
            })
            second.node.openModule()
            if isBack { second.journal.settle(second.journal.effects[0].id, .success("back")) }
            try second.deliver(.a, 1)
            let answer = try await seen.wait(count: 1)[0]
            #expect(answer.parked.isEmpty == isBack && answer.value(String.self) == (isBack ? "back" : nil))
            #expect(second.journal.effects.count == 2, "nothing is said twice")
        }
    }

    @Test func `equal emissions of one handler are told apart by their number`() async throws {
        let journal = try await rerun(after: 3) { _ in
            for _ in 1...3 { await actions { Reply.ping(7) } }
            return .success
        }
        #expect(journal.effects.count == 3)
    }

    @Test func `an emission that the second run does not repeat has diverged, one that it makes anew is new`() async throws {
        let journal = try await rerun(after: 2) { life in
            await actions { Reply.ping(life) }
            return .success
        }
        #expect(journal.effects.map(\.id.position) == [1, 2])
        #expect(journal.settlements[0].diverged == [EffectID(module: "M", position: 1)])
    }

    @Test func `an answer that comes before the second run asks is not lost`() async throws {
        let life = Life(on: FakeJournal())
        let said = EffectID(module: "M", position: 1)
        var recovery = Relux.Recovery()
        recovery.position = 1
        recovery.pending = [said: ["Peer", "Other"]]
        recovery.emissions = [.far(1): [.init(id: said, topic: "Reply", payload: try CBOR.encode(Reply.ping(1)))]]
        let results = Recorder<Relux.ActionResult>()
        try await life.node.join(
            module { _ in
                results.record(await actions { Reply.ping(1) })
                return .success
            }, recovery: recovery, handles: ["Work"], emits: ["Reply"], isSerial: false)
        let answer = Relux.ActionResult(outcomes: [
            .init(recipient: .init(module: "Peer"), status: .failed, failure: Relux.Failure(Refusal()))
        ])
        life.exchange.settle(said, by: "Peer", with: answer)
        life.exchange.settle(said, by: "Other", with: .success(4))
        life.node.openModule()
        try life.deliver(.a, 1)
        let result = try await results.wait(count: 1)[0]
        #expect(result.failures.count == 1)
        #expect(result.value(Int.self) == 4)
        #expect(life.journal.effects.isEmpty)
    }

    @Test func `what is left to answer is added to what was answered before the death`() async throws {
        let life = Life(on: FakeJournal())
        let said = EffectID(module: "M", position: 1)
        var recovery = Relux.Recovery()
        recovery.pending = [said: ["Other"]]
        recovery.emissions = [
            .far(1): [.init(id: said, topic: "Reply", payload: try CBOR.encode(Reply.ping(1)), result: .success(1))]
        ]
        let results = Recorder<Relux.ActionResult>()
        try await life.node.join(
            module { _ in
                results.record(await actions { Reply.ping(1) })
                return .success
            }, recovery: recovery, handles: ["Work"], emits: ["Reply"], isSerial: false)
        life.exchange.settle(said, by: "Other", with: .success(2))
        life.node.openModule()
        try life.deliver(.a, 1)
        #expect(try await results.wait(count: 1)[0].outcomes.count == 2)
    }

    @Test func `an effect that had no recipient is unhandled again`() async throws {
        let life = Life(on: FakeJournal())
        var recovery = Relux.Recovery()
        recovery.emissions = [
            .far(1): [.init(id: .init(module: "M", position: 1), topic: "Reply", payload: try CBOR.encode(Reply.ping(1)))]
        ]
        let results = Recorder<Relux.ActionResult>()
        try await life.join(
            module { _ in
                results.record(await actions { Reply.ping(1) })
                return .success
            }, recovery)
        life.node.openModule()
        try life.deliver(.a, 1)
        #expect(try await results.wait(count: 1)[0].isUnhandled)
    }

    @Test func `what a task says that has outlived its handler is new`() async throws {
        let gate = Gate()
        let said = EffectID(module: "M", position: 1)
        var recovery = Relux.Recovery()
        recovery.position = 1
        recovery.emissions = [
            .far(1): [.init(id: said, topic: "Reply", payload: try CBOR.encode(Reply.ping(1)), result: .success)]
        ]
        let life = Life(on: FakeJournal())
        try await life.join(
            module { _ in
                Task {
                    await gate.pass()
                    await actions { Reply.ping(1) }
                }
                return .success
            }, recovery)
        life.node.openModule()
        try life.deliver(.a, 1)
        try await life.journal.waitForSettlements(1)
        #expect(life.journal.settlements[0].diverged == [said])
        #expect(life.exchange.counters()["M"]?.diverged == 1)
        gate.open()
        try await life.journal.waitForEffects(1)
        #expect(life.journal.effects[0].id.position == 2)
    }

    @Test func `performAsync of a running handler is recognised too`() async throws {
        let journal = try await rerun(after: 2) { _ in
            let done = Signal()
            performAsync(actions: { Reply.ping(1) }) { _ in done.fire() }
            try? await done.wait()
            return .success
        }
        #expect(journal.effects.count == 1)
    }

    @Test(arguments: 0..<20) func `a batch that nobody waits for is recognised, also when its handler ends first`(round: Int) async throws {
        let journal = try await rerun(after: 6) { life in
            performAsync(actions: { Reply.ping(1); Reply.ping(2) })
            await actions { Reply.ping(3) }
            // The first life does not settle it: then nobody would hand it to a second one.
            if life == 1 { await Gate().pass() }
            return .success
        }
        // One of them may still be on its way.
        try await journal.waitForEffects(3)
        for _ in 0..<100 { await Task.yield() }
        #expect(journal.effects.count == 3, "\(journal.effects.map(\.id))")
    }

    /// - Parameter isSettled: the handler's settlement is journaled before its batch goes on; else that waits for its turn.
    @Test(arguments: [false, true])
    func `what nobody waits for and is said when its handler has ended belongs to it until that has settled`(isSettled: Bool) async throws {
        let (journal, end, turn, held) = (FakeJournal(answers: false), Gate(), Gate(), Gate())
        let life = Life(on: journal)
        let flow = Doing { _ in
            performAsync(actions: { Reply.ping(1); Reply.ping(2) })
            await end.pass()
            return .success
        }
        try await life.join(Plain("M", states: [Sum()], sagas: [flow]))
        life.node.openModule()
        let keeper = try #require(life.exchange.keeper(of: "M"))
        try life.deliver(.a, 1)
        try await end.waitForArrivals(1)
        try await journal.waitForEffects(1)
        if isSettled { turn.open() }
        let holder = Task {
            await keeper.lock.withTurn {
                await held.pass()
                await turn.pass()
            }
        }
        held.open()
        try await held.waitForArrivals(1)
        end.open()
        if isSettled {
            try await journal.waitForSettlements(1)
        } else {
            while keeper.lock.waiting == 0 { await Task.yield() }
        }
        journal.settle(journal.effects[0].id)
        try await journal.waitForEffects(2)
        #expect(journal.effects[1].isDetached == isSettled)
        turn.open()
        await holder.value
        try await journal.waitForSettlements(1)
        #expect(life.exchange.state.withLock { $0.parties.read("M") { $0.settling } } == [])
    }

    // MARK: once

    private static func code(_ body: @Sendable () async throws -> Void) async -> String {
        do {
            try await body()
            return "none"
        } catch {
            return (error as? Relux.Failure)?.code ?? "\(error)"
        }
    }

    @Test func `once gives the second run the value of the first, so what it emits is the same`() async throws {
        let made = Recorder<Int>()
        let journal = try await rerun(after: 2) { life in
            do {
                let number = try await once("number") {
                    made.record(life)
                    return life * 100
                }
                return await actions { Reply.ping(number) }
            } catch {
                return .failure(error)
            }
        }
        #expect(made.elements == [1])
        #expect(journal.effects.count == 1)
        #expect(journal.settlements[0].result.isSuccess)
    }

    @Test func `a value that was not journaled when the process died is made anew`() async throws {
        let made = Recorder<Int>()
        // The one record of the first life is the emission before.
        let journal = try await rerun(after: 1, answers: true) { life in
            await actions { Reply.ping(0) }
            _ = try? await once("number") {
                made.record(life)
                return life
            }
            return .success
        }
        // The rest of the first life may come to its own at any time.
        #expect(made.elements.contains(2))
        #expect(journal.effects.count == 1)
    }

    @Test func `who asks meanwhile gets the same, and a failure leaves the turn to the next`() async throws {
        let life = Life(on: FakeJournal())
        let tries = Watched(0)
        let numbers = Recorder<Int?>()
        try await life.join(
            module { _ in
                await withTaskGroup(of: Int?.self) { group in
                    for n in 1...8 {
                        group.addTask {
                            try? await once("n") {
                                let isFirst = tries.update { tries in
                                    tries += 1
                                    return tries == 1
                                }
                                guard !isFirst else { throw Refusal() }
                                await Task.yield()
                                return n
                            }
                        }
                    }
                    for await number in group { numbers.record(number) }
                }
                return .success
            })
        life.node.openModule()
        try life.deliver(.a, 1)
        try await life.journal.waitForSettlements(1)
        #expect(tries.value == 2)
        #expect(numbers.elements.filter { $0 == nil }.count == 1)
        #expect(Set(numbers.elements.compactMap { $0 }).count == 1)
        #expect(life.journal.records.count == 2, "the value and the settlement")
    }

    @Test func `once names its remedy outside a handler, inside itself, after the end and for another type`() async throws {
        await #expect { try await once("n") { 1 } } throws: { ($0 as? Relux.Failure)?.code == "noHandler" }
        let life = Life(on: FakeJournal())
        let gate = Gate()
        let codes = Recorder<String>()
        try await life.join(
            module { _ in
                let code = RerunTests.code
                codes.record(await code { _ = try await once("n") { try await once("n") { 1 } } })
                codes.record(await code { _ = try await once("t") { 1 } })
                codes.record(await code { _ = try await once("t") { "text" } })
                codes.record(await code { _ = try await once("e") { Sum.Stored(total: 1, isBroken: true) } })
                Task {
                    await gate.pass()
                    codes.record(await code { _ = try await once("late") { 1 } })
                }
                return .success
            })
        life.node.openModule()
        try life.deliver(.a, 1)
        try await life.journal.waitForSettlements(1)
        gate.open()
        #expect(try await codes.wait(count: 5) == ["once", "none", "coding", "coding", "noHandler"])
    }

    @Test func `a value that the journal does not take is no value`() async throws {
        let life = Life(on: FakeJournal(dyingAfter: 0))
        let codes = Recorder<String?>()
        try await life.join(
            module { _ in
                do {
                    _ = try await once("n") { 1 }
                    codes.record(nil)
                } catch {
                    codes.record((error as? Relux.Failure)?.code)
                }
                return .success
            })
        life.node.openModule()
        try life.deliver(.a, 1)
        #expect(try await codes.wait(count: 1) == ["notKept"])
    }
}
