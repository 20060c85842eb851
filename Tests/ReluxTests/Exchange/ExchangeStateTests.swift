import Testing

@testable import Relux

@Suite struct ExchangeStateTests {
    private func state(_ ids: ModuleID..., isSerial: Bool = false) -> Relux.ExchangeState {
        var state = Relux.ExchangeState()
        _ = state.add(.publisherOnly("App"))
        for id in ids { _ = state.add(party(id, isSerial: isSerial)) }
        return state
    }
    private func party(_ id: ModuleID, isSerial: Bool = false) -> Relux.Party {
        Relux.Party(
            id: id, handler: Nothing(), handles: ["Work"], emits: nil, isSerial: isSerial, admission: .open)
    }
    private func emission(from origin: ModuleID = "App", handler: Relux.Scope.Handler? = nil) -> Relux.Emission {
        Relux.Emission(
            effect: Work.a, topic: "Work", origin: origin, handler: handler, coded: .init([], caseName: "a"), patience: .seconds(30),
            site: .init(file: "", line: 0, function: ""), label: "")
    }

    private func delivery(_ position: UInt64, ancestry: [EffectID] = [], awaitDepth: Int = 0, deadline: Duration? = nil) -> Relux.Delivery {
        Relux.Delivery(
            id: .init(module: "App", position: position), topic: "Work", content: .effect(Work.a), ancestry: ancestry,
            awaitDepth: awaitDepth, deadline: deadline)
    }

    /// Emits, runs `body`, and gives what the waiter was resumed with; every test has to end the waiting.
    private func waiting(
        in state: inout Relux.ExchangeState, from origin: ModuleID = "App", handler: Relux.Scope.Handler? = nil,
        at now: Duration = .zero,
        _ body: (inout Relux.ExchangeState, Relux.ExchangeState.Acceptance, Relux.Emission) -> Relux.ExchangeState.Resumption?
    ) async -> Relux.ActionResult? {
        var copy = state
        let emission = emission(from: origin, handler: handler)
        let result = await withUnsafeContinuation { (waiter: UnsafeContinuation<Relux.ActionResult, Never>) in
            var acceptance = Relux.ExchangeState.Acceptance()
            if let ended = copy.emit(emission, waiter: .task(waiter), now: now, &acceptance) { return waiter.resume(returning: ended) }
            guard let resumption = body(&copy, acceptance, emission) else { return waiter.resume(returning: .failure(Refusal())) }
            resumption.waiter.resume(returning: resumption.result)
        }
        state = copy
        return result
    }

    @Test func `the waiter is resumed by the last settlement, and a second one of the same recipient counts for nothing`() async {
        var state = state("A", "B")
        let id = EffectID(module: "App", position: 1)
        let result = await waiting(in: &state) { state, _, _ in
            let resumption = state.settle(id, by: "A", with: .success(1))
            #expect(resumption == nil)
            let resumptionAgain = state.settle(id, by: "A", with: .success(2))
            #expect(resumptionAgain == nil)
            let resumptionAtLast = state.settle(id, by: "C", with: .success(3))
            #expect(resumptionAtLast == nil)
            return state.settle(id, by: "B", with: .success(4))
        }
        #expect(result?.outcomes.count == 2)
        #expect(state.pending.isEmpty)
    }

    @Test func `what is queued at the end of the process stays when any party's running handler waits for it`() throws {
        var state = state("A", "B")
        _ = state.deliver(delivery(1), to: "A")
        let taken = state.parties.update("A") { $0.take() }
        let run = try #require(taken ?? nil).run
        func awaited(_ position: UInt64, depth: Int = 1) -> Relux.Delivery {
            delivery(position, ancestry: [EffectID(module: "App", position: 1)], awaitDepth: depth)
        }
        for delivery in [delivery(2), awaited(3), awaited(4, depth: 0)] { _ = state.deliver(delivery, to: "B") }
        state.end()
        for delivery in [delivery(5), awaited(6)] { _ = state.deliver(delivery, to: "B") }
        var handled: [UInt64] = []
        var next = state.parties.update("B") { $0.take() } ?? nil
        while let delivery = next {
            handled.append(delivery.id.position)
            next = state.finish(delivery.id, run: delivery.run, by: "B", .success, settles: false)?.next
        }
        #expect(handled == [3, 6])
        let isIdle = state.isIdle("B")
        #expect(!isIdle, "A may ask it for something")
        _ = state.finish(EffectID(module: "App", position: 1), run: run, by: "A", .success, settles: false)
        let isIdleAtLast = state.isIdle("B")
        #expect(isIdleAtLast)
    }

    @Test func `a module that is set up while the process ends keeps nobody`() {
        var state = state("A")
        state.end()
        var late = party("B")
        late.admission = .held
        _ = state.add(late)
        _ = state.deliver(delivery(1), to: "B")
        let isIdle = state.isIdle("A")
        #expect(isIdle)
    }

    @Test func `recipients are fixed when the effect is accepted`() async {
        var state = state("A")
        let id = EffectID(module: "App", position: 1)
        let result = await waiting(in: &state) { state, acceptance, emission in
            #expect(state.pending[id]?.outstanding.modules == ["A"])
            _ = state.add(party("B"))
            return state.settle(id, by: "A", with: .success(1))
        }
        #expect(result?.outcomes.count == 1)
    }

    @Test func `what pends on a removed party is lost, and the others' outcomes stay`() async {
        var state = state("A", "B")
        let id = EffectID(module: "App", position: 1)
        let result = await waiting(in: &state) { state, _, _ in
            let resumption = state.settle(id, by: "A", with: .success(1))
            #expect(resumption == nil)
            return state.remove("B", loses: true).lost.first
        }
        #expect(result?.codes == ["lost"])
        #expect(result?.isFailure == true)
        #expect(state.counters["B"]?.lost == 1)
    }

    @Test func `a deadline ends the waiting only, and names who has not answered`() async {
        var state = state("A", "B")
        let id = EffectID(module: "App", position: 1)
        let result = await waiting(in: &state) { state, _, _ in
            _ = state.settle(id, by: "A", with: .success(1))
            let expiry = state.expire(now: .seconds(29))
            #expect(expiry.next == .seconds(30))
            let (expired, next) = state.expire(now: .seconds(30))
            #expect(next == nil)
            return expired.first
        }
        #expect(result?.unanswered == ["B"])
        #expect(state.pending[id]?.outstanding.modules == ["B"])
        let resumption = state.settle(id, by: "B", with: .success(1))
        #expect(resumption == nil)
        #expect(state.pending.isEmpty)
    }

    @Test func `an emission without recipients gives no slot back that another await of the batch holds`() async throws {
        var state = state("A")
        _ = state.deliver(delivery(1, deadline: .seconds(5)), to: "A")
        let taken = try #require(state.parties.update("A") { $0.take() } ?? nil)
        let (run, handler) = (taken.run, Relux.Scope.Handler(of: taken))
        _ = state.parties.update("A") { $0.awaitBegan(run) }
        _ = state.setMembership(.init(version: 1, recipients: [:]))
        _ = await waiting(in: &state, from: "A", handler: handler) { _, _, _ in nil }
        #expect(state.parties.read("A") { $0.running } == 0)
        #expect(state.parties.read("A") { $0.runs[run]?.awaiting } == 1)
    }

    @Test func `a nested await has the least of both deadlines, a task that outlived its handler its own`() async throws {
        var state = state("A")
        _ = state.deliver(delivery(1, deadline: .seconds(5)), to: "A")
        let taken = try #require(state.parties.update("A") { $0.take() } ?? nil)
        let (run, handler) = (taken.run, Relux.Scope.Handler(of: taken))
        _ = await waiting(in: &state, from: "A", handler: handler) { state, acceptance, emission in
            #expect(acceptance.deadline == .seconds(5))
            #expect(emission.awaitDepth == 1)
            return state.settle(.init(module: "A", position: 1), by: "A", with: .success)
        }
        _ = state.parties.update("A") { $0.finish(run) }
        _ = await waiting(in: &state, from: "A", handler: handler, at: .seconds(60)) { state, acceptance, emission in
            #expect(acceptance.deadline == .seconds(90))
            #expect(emission.awaitDepth == 0)
            #expect(emission.ancestry == [.init(module: "App", position: 1)])
            return state.settle(.init(module: "A", position: 2), by: "A", with: .success)
        }
    }

    @Test func `a stream counts without a gap, by topic, across the return of its module`() async {
        var state = state("A")
        var seen: [UInt64] = []
        for n in 1...2 {
            _ = await waiting(in: &state) { state, acceptance, emission in
                seen.append(emission.sequence)
                return state.settle(.init(module: "App", position: UInt64(n)), by: "A", with: .success)
            }
        }
        _ = state.remove("App", loses: true)
        let isAdded = state.add(.publisherOnly("App"))
        #expect(isAdded)
        _ = await waiting(in: &state) { state, acceptance, emission in
            seen.append(emission.sequence)
            #expect(emission.id.position == 3)
            return state.settle(.init(module: "App", position: 3), by: "A", with: .success)
        }
        #expect(seen == [1, 2, 3])
    }

    @Test func `a name is taken once, and runs of two parties of one name differ`() {
        var state = state("A")
        let isAdded = state.add(party("A"))
        #expect(!isAdded)
        let old = state.parties.read("A") { $0.nextRun }
        _ = state.remove("A", loses: true)
        let isAddedAgain = state.add(party("A"))
        #expect(isAddedAgain)
        #expect(state.parties.read("A") { $0.nextRun } != old)
    }
}

extension Relux.ExchangeState {
    /// As a drain does, which knows the seat.
    fileprivate mutating func finish(
        _ effect: EffectID, run: UInt64, by id: ModuleID, _ result: Relux.ActionResult, settles: Bool
    ) -> Finished? {
        guard let seat = parties.seat(of: id) else { return nil }
        var finished = Finished()
        return finish(effect, run: run, at: seat, result, settles: settles, &finished) ? finished : nil
    }
}
