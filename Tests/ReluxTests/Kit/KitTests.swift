import Relux
import ReluxTestKit
import Testing

@Suite(.timeLimit(.minutes(1))) struct KitTests {
    @Test func `turning the clock resumes sleepers in order of their times, each at its own`() async throws {
        let clock = ManualClock()
        let woken = Recorder<Duration>()
        let tasks = [3, 1, 2].map { n in
            Task {
                try await clock.sleep(.seconds(n))
                woken.record(.seconds(n))
            }
        }
        try await clock.waitForSleepers(3)
        try await clock.waitForSleepers(2, dueWithin: .seconds(2))
        clock.advance(by: .seconds(2))
        try await woken.wait(count: 2)
        #expect(Set(woken.elements) == [.seconds(1), .seconds(2)])
        #expect(clock.now == .seconds(2))
        clock.advance(by: .seconds(1))
        for task in tasks { try await task.value }
    }

    @Test func `a task sleeps until the moment that its caller has read, also when the clock has been turned before it begins`() async throws {
        for clock in [ManualClock().nodeClock, .continuous] {
            let moment = clock.now()
            try await clock.sleep(until: moment)
            try await clock.sleep(until: moment - .seconds(1))
            // Before the machine's start.
            try await clock.sleep(until: moment - .seconds(1_000_000_000))
        }
        let clock = ManualClock()
        let (early, late) = (clock.now + .seconds(1), clock.now + .seconds(3))
        clock.advance(by: .seconds(2))
        let task = Task {
            try await clock.nodeClock.sleep(until: early)
            try await clock.nodeClock.sleep(until: late)
        }
        try await clock.waitForSleepers(1, dueWithin: .seconds(1))
        clock.advance(by: .seconds(1))
        try await task.value
    }

    @Test func `a cancelled sleeper ends at once`() async throws {
        let clock = ManualClock()
        let task = Task { try await clock.sleep(.seconds(1)) }
        try await clock.waitForSleepers()
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
    }

    @Test func `a node that waits for a deadline is no sleeper, unless it is asked for by its time`() async throws {
        let test = TestNode()
        let gate = Gate()
        await test.relux.register { MockModule("M") { _ in await gate.pass(); return .success } }
        async let held = test.dispatcher.actions { Work.a }
        try await gate.waitForArrivals(1)
        try await test.clock.waitForSleepers(1, dueWithin: .seconds(30))
        let before = test.clock.sleeping
        async let later = test.dispatcher.actions(delay: .seconds(60)) { Note.noted(1) }
        try await test.clock.waitForSleepers(1)
        #expect(before == 0 && test.clock.sleeping == 1)
        gate.open()
        test.clock.advance(by: .seconds(60))
        _ = await (held, later)
    }

    @Test func `a refusal that nobody expects fails what is checked, one that is expected does not`() async throws {
        func refuse(expecting reasons: String...) async throws {
            let test = TestNode()
            for reason in reasons { test.logger.expectRefusals(of: reason) }
            await test.relux.register { MockModule("M", emits: []) }
            await test.relux.dispatcher(for: "M").actions { Work.a }
        }
        let error = await #expect(throws: UnexpectedRefusals.self) { try await RefusalCheck.run { try await refuse() } }
        let text = error?.description ?? ""
        #expect(text.contains("M: refused Work.a (undeclared) at ReluxTests/KitTests.swift:"))
        #expect(text.contains("recorder.expectRefusals(of: \"undeclared\")"))
        await #expect(throws: UnexpectedRefusals.self) { try await RefusalCheck.run { try await refuse(expecting: "hops") } }
        try await RefusalCheck.run { try await refuse(expecting: "undeclared") }
    }

    @Test func `modules that answer with different phantoms have different names`() async throws {
        let test = TestNode()
        await test.relux.register([MockModule(as: First.self), MockModule(as: Second.self), MockModule()])
        #expect(test.relux.modules == ["Mock.First", "Mock.Second", "Mock"])
        #expect(test.relux.refusedRegistrations.isEmpty)
    }

    @Test func `a mismatch prints heading, diff and legend`() {
        let mismatch = Mismatch(heading: "they differ", expected: ["a", "b", "c"], actual: ["a", "x", "c", "d"])
        #expect(mismatch.description == "they differ\n\n  a\n- b\n+ x\n  c\n+ d\n\n(- expected, + actual)")
    }

    @Test func `a watchdog names what did not come and what was there`() async throws {
        let value = Watched(7)
        let error = await #expect(throws: WatchdogError.self) {
            try await value.wait(for: "eight", limit: .milliseconds(1)) { $0 == 8 }
        }
        #expect(error?.description.contains("eight") == true)
        #expect(error?.last == "7")
    }

    @Test func `the recording logger keeps actions and effects apart and finds both`() async {
        let test = TestNode()
        await test.dispatcher.actions {
            Note.noted(1)
            Work.number(2)
            Work.a
        }
        #expect(test.logger.actions.count == 1)
        #expect(test.logger.effects.count == 2)
        #expect(test.logger.findAction { $0 == Note.noted(1) } == .noted(1))
        #expect(test.logger.findEffect(Work.self) == .number(2))
        #expect(test.logger.mismatch(dispatched: Work.a) == nil)
        #expect(test.logger.mismatch(dispatched: Work.b)?.heading == "an action was not dispatched")
    }

    @Test func `the fake sealing is deterministic and refuses another key and changed bytes`() throws {
        let plain = Array("open sesame".utf8)
        let sealed = XORSealing(key: "k1").seal(plain)
        #expect(sealed == XORSealing(key: "k1").seal(plain))
        #expect(try XORSealing(key: "k1").open(sealed) == plain)
        #expect(throws: XORSealing.WrongKey.self) { try XORSealing(key: "k2").open(sealed) }
        #expect(throws: XORSealing.WrongKey.self) { try XORSealing(key: "k1").open(sealed.dropLast() + [0]) }
        #expect(throws: XORSealing.WrongKey.self) { try XORSealing(key: "k1").open([1, 2]) }
    }
}
