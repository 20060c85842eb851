import Relux
import ReluxTestKit
import Testing

@Suite(.timeLimit(.minutes(1))) struct BatonScenarios {
    let test = TestNode()

    @Test func `effects of one stream are reduced in the order of their positions`() async {
        let positions = Recorder<UInt64>()
        await test.relux.register([Plain("Ordered", states: [Positions(positions)])])
        await test.dispatcher.actions(.concurrently) { for n in 0..<300 { Work.number(n) } }
        #expect(positions.elements == Array(1...300))
    }

    @Test func `a handler that has run for a millisecond is overtaken`() async throws {
        let gate = Gate()
        await test.relux.register([
            MockModule { effect in
                if effect as? Work == .a { await gate.pass() } else { gate.open() }
                return .success
            }
        ])
        let dispatcher = test.dispatcher
        async let first = dispatcher.actions { Work.a }
        try await gate.waitForArrivals(1)
        #expect(await dispatcher.actions { Work.b }.isSuccess)
        #expect(await first.isSuccess)
    }

    @Test func `a handler that awaits a dispatch lets the next start`() async throws {
        let gate = Gate()
        await test.relux.register([
            MockModule("A", as: First.self, handles: [Work.self]) { effect in
                if effect as? Work == .a { return await actions { Reply.ping(0) } }
                gate.open()
                return .success
            },
            MockModule("B", as: Second.self, handles: [Reply.self]) { _ in
                await gate.pass()
                return .success
            },
        ])
        let dispatcher = test.dispatcher
        async let first = dispatcher.actions { Work.a }
        try await gate.waitForArrivals(1)
        #expect(await dispatcher.actions { Work.b }.isSuccess)
        #expect(await first.isSuccess)
    }

    @Test func `at most 64 handlers run at a time, and what waits behind them comes later`() async throws {
        let gate = Gate()
        let module = MockModule { _ in
            await gate.pass()
            return .success
        }
        await test.relux.register([module])
        let dispatcher = test.dispatcher
        async let all = dispatcher.actions(.concurrently) { for n in 0..<200 { Work.number(n) } }
        try await gate.waitForArrivals(64)
        gate.open()
        #expect(await all.isSuccess)
        #expect(module.effects.count == 200)
        #expect(gate.mostInside == 64)
    }

    @Test func `200 concurrent awaits from A to B and back to A all return`() async {
        await test.relux.register([
            MockModule("A", as: First.self, handles: [Work.self]) { effect in
                guard case .number(let n)? = effect as? Work else { return .success("back") }
                return await actions { Reply.ping(n) }
            },
            MockModule("B", as: Second.self, handles: [Reply.self]) { _ in await actions { Work.text("back") } },
        ])
        let result = await test.dispatcher.actions(.concurrently) { for n in 0..<200 { Work.number(n) } }
        #expect(result.isSuccess)
        #expect(result.outcomes.compactMap { $0.value?.decode(String.self) }.count == 200)
    }

    @Test func `a serial module runs one handler at a time, in order`() async {
        let running = Watched(0)
        let overlaps = Recorder<Int>()
        let module = MockModule(isSerial: true) { _ in
            let count = running.update { $0 += 1; return $0 }
            if count > 1 { overlaps.record(count) }
            await Task.yield()
            running.update { $0 -= 1 }
            return .success
        }
        await test.relux.register([module])
        let dispatcher = test.dispatcher
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<8 {
                group.addTask { for n in 0..<100 { _ = await dispatcher.actions { Work.number(n) } } }
            }
        }
        #expect(module.effects.count == 800)
        #expect(overlaps.elements.isEmpty)
    }

    @Test func `an effect that would close a cycle on a serial module is settled as failed, with the path`() async throws {
        let nested = Recorder<Relux.ActionResult>()
        await test.relux.register([
            MockModule("X", as: First.self, handles: [Work.self], isSerial: true) { effect in
                effect as? Work == .a ? await actions { Reply.ping(1) } : .success
            },
            MockModule("Y", as: Second.self, handles: [Reply.self]) { _ in
                let result = await actions { Work.b }
                nested.record(result)
                return result
            },
        ])
        let result = await test.dispatcher.actions { Work.a }
        #expect(result.codes == ["cycle"])
        #expect(nested.elements.first?.outcomes.map(\.recipient.module) == ["X"])
        #expect(nested.elements.first?.failures.first?.details["path"] == "Test#1 → X#1 → Y#1")
        #expect(await test.dispatcher.actions { Work.b }.isSuccess)
    }

    @Test func `what a serial module starts without waiting is no cycle`() async throws {
        let done = Signal()
        await test.relux.register([
            MockModule("X", isSerial: true) { effect in
                if effect as? Work == .a { performAsync { Work.b } } else { done.fire() }
                return .success
            }
        ])
        #expect(await test.dispatcher.actions { Work.a }.isSuccess)
        try await done.wait()
    }

    @Test func `an undeclared emission is refused and nothing is sent`() async {
        let listener = MockModule("Listener", as: Second.self, handles: [Reply.self])
        await test.relux.register([
            MockModule("Narrow", as: First.self, handles: [Work.self], emits: [Work.self]) { _ in
                await actions { Reply.ping(1) }
            },
            listener,
        ])
        let result = await test.dispatcher.actions { Work.a }
        #expect(result.codes == ["undeclared"])
        #expect(result.failures.first?.details == ["topic": "Reply", "module": "Narrow"])
        #expect(listener.effects.isEmpty)
    }

    @Test func `a task that outlives its handler keeps the cause but neither the deadline nor the slot`() async throws {
        let gate = Gate()
        let late = Recorder<Relux.ActionResult>()
        let clock = test.clock
        await test.relux.register([
            MockModule("A", as: First.self, handles: [Work.self]) { _ in
                Task {
                    await gate.pass()
                    late.record(await actions { Reply.ping(1) })
                }
                return .success
            },
            MockModule("B", as: Second.self, handles: [Reply.self]) { _ in .success("heard") },
        ])
        await test.dispatcher.actions { Work.a }
        clock.advance(by: .seconds(60))
        gate.open()
        #expect(try await late.wait(count: 1)[0].value(String.self) == "heard")
        #expect(test.logger.entry(of: Reply.ping(1))?.cause?.description == "Test#1")
    }
}

private actor Positions: Relux.BusinessState {
    private let positions: Recorder<UInt64>
    init(_ positions: Recorder<UInt64>) { self.positions = positions }
    func reduce(with action: any Relux.Action) async {
        if let id = Relux.Scope.current?.handler?.effect { positions.record(id.position) }
    }
}
