import Dispatch
import ReluxTestKit
import Synchronization
import Testing

@testable import Relux

@Suite(.timeLimit(.minutes(1))) struct PoisonTests {
    private let clock = ManualClock()

    private func recovery(_ suspects: Relux.Suspect...) -> Relux.Recovery {
        var recovery = Relux.Recovery()
        recovery.suspects = suspects
        return recovery
    }

    @Test func `each suspect is journaled before it runs alone, and then comes the rest`() async throws {
        let life = Life(on: FakeJournal(), clock: clock.nodeClock)
        let gate = Gate()
        let started = Recorder<Work>()
        try await life.join(
            Plain("M", sagas: [Doing { work in started.record(work); await gate.pass(); return .success }]),
            recovery(
                .init(effect: .far(3), deaths: 2, wasAlone: false), .init(effect: .far(1), deaths: 1, wasAlone: false)))
        life.node.openModule()
        for n in UInt64(1)...4 { try life.deliver(.number(Int(n)), n) }
        try await gate.waitForArrivals(1)
        #expect(started.elements == [.number(3)])
        #expect(life.journal.attempts == [.far(3)])
        gate.open()
        try await life.journal.waitForSettlements(4)
        #expect(started.elements == [.number(3), .number(1), .number(2), .number(4)])
        #expect(life.journal.attempts == [.far(3), .far(1)])
        guard case .attempt(_, let deaths, let isAlone)? = life.journal.records.first else { return #expect(Bool(false)) }
        #expect(deaths == 2 && !isAlone)
    }

    @Test func `after five deaths, the last alone, an effect is a dead letter and does not run`() async throws {
        let life = Life(on: FakeJournal(), clock: clock.nodeClock)
        let started = Recorder<Work>()
        try await life.join(
            Plain("M", sagas: [Doing { work in started.record(work); return .success }]),
            recovery(.init(effect: .far(1), deaths: 5, wasAlone: true), .init(effect: .far(2), deaths: 7, wasAlone: false)))
        life.node.openModule()
        for n in UInt64(1)...3 { try life.deliver(.number(Int(n)), n) }
        try await life.journal.waitForSettlements(3)
        #expect(started.elements == [.number(2), .number(3)])
        let letter = try #require(life.journal.letters.first)
        #expect(letter.effect == .far(1))
        #expect(letter.cause == .deaths(5))
        #expect(letter.payload == (try CBOR.encode(Work.number(1))))
        let settled = try #require(life.journal.settlements.first { $0.id == .far(1) })
        #expect(settled.result.settledStatus == .deadLettered)
        #expect(settled.result.failures[0].message.contains("died 5 times"))
    }

    @Test func `one that has died five times, the last alone, is a dead letter also when the process died for another reason since`() async throws {
        let life = Life(on: FakeJournal(), clock: clock.nodeClock)
        let started = Recorder<Work>()
        var recovery = recovery()
        recovery.carried = [.init(effect: .far(2), deaths: 5, wasAlone: true)]
        try await life.join(Plain("M", sagas: [Doing { work in started.record(work); return .success }]), recovery)
        life.node.openModule()
        for n in UInt64(1)...3 { try life.deliver(.number(Int(n)), n) }
        try await life.journal.waitForSettlements(3)
        #expect(started.elements == [.number(1), .number(3)])
        #expect(life.journal.letters.map(\.effect) == [.far(2)])
    }

    @Test func `a death is charged to a suspect that runs alone, to none that runs beside it and to none that is new`() async throws {
        let life = Life(on: FakeJournal(), clock: clock.nodeClock)
        let table = Table()
        let gate = Gate()
        try await life.join(
            Plain("M", sagas: [Doing { work in if work == .number(1) { await gate.pass() }; return .success }]),
            recovery(.init(effect: .far(1), deaths: 1, wasAlone: false), .init(effect: .far(2), deaths: 1, wasAlone: false)),
            openHandlers: table)
        life.node.openModule()
        try life.deliver(.number(1), 1)
        try await gate.waitForArrivals(1)
        #expect(table.open.value.values.elementsEqual([.far(1)]))
        #expect(table.charged.value == [.far(1)])
        // It has the same root, and may be what the suspect waits for.
        try life.deliver(.number(4), 4, ancestry: [.far(1)])
        try await life.journal.waitForSettlements(1)
        try life.deliver(.number(2), 2)
        try life.deliver(.number(3), 3)
        gate.open()
        try await life.journal.waitForSettlements(4)
        #expect(table.charged.value == [.far(1), .far(2)])
    }

    @Test func `a suspect that does not come in five seconds holds nobody up`() async throws {
        let life = Life(on: FakeJournal(), clock: clock.nodeClock)
        try await life.join(
            Plain("M", sagas: [Doing()]), recovery(.init(effect: .far(9), deaths: 1, wasAlone: true)))
        life.node.openModule()
        try life.deliver(.a, 1)
        try await clock.waitForSleepers(1)
        #expect(life.journal.settlements.isEmpty)
        clock.advance(by: .seconds(5))
        try await life.journal.waitForSettlements(1)
    }

    @Test(arguments: [(deaths: 1, seconds: 1), (2, 2), (5, 16), (9, 16)])
    func `a suspect that does not end gets company in a while, and a death is not its own from then on`(deaths: Int, seconds: Int) async throws {
        let life = Life(on: FakeJournal(), clock: clock.nodeClock)
        let (table, gate, started) = (Table(), Gate(), Recorder<Work>())
        try await life.join(
            Plain("M", sagas: [Doing { work in started.record(work); if work == .number(1) { await gate.pass() }; return .success }]),
            recovery(.init(effect: .far(1), deaths: deaths, wasAlone: false), .init(effect: .far(2), deaths: 1, wasAlone: false)),
            openHandlers: table)
        life.node.openModule()
        for n in UInt64(1)...3 { try life.deliver(.number(Int(n)), n) }
        try await gate.waitForArrivals(1)
        // The patience of the module, and its own.
        try await clock.waitForSleepers(2)
        clock.advance(by: .seconds(seconds) - .milliseconds(1))
        // Not before its time: that ends in a millisecond, and with sixteen seconds that of all suspects.
        try await clock.waitForSleepers(seconds == 16 ? 2 : 1, dueWithin: .milliseconds(1))
        #expect(started.elements == [.number(1)] && table.charged.value == [.far(1)])
        clock.advance(by: .milliseconds(1))
        try await life.journal.waitForSettlements(2)
        // With sixteen seconds all may start at once, in any order.
        #expect(Set(started.elements) == [.number(1), .number(2), .number(3)])
        if seconds < 16 { #expect(started.elements == [.number(1), .number(2), .number(3)]) }
        // It was not alone, nor was the next one.
        #expect(table.charged.value == [])
        gate.open()
        try await life.journal.waitForSettlements(3)
    }

    @Test func `many suspects that do not end keep other input waiting no longer than all of them may be alone for`() async throws {
        let life = Life(on: FakeJournal(), clock: clock.nodeClock)
        let (table, gate, started) = (Table(), Gate(), Recorder<Work>())
        var recovery = recovery()
        recovery.suspects = (UInt64(1)...20).map { .init(effect: .far($0), deaths: 5, wasAlone: false) }
        try await life.join(
            Plain("M", sagas: [Doing { work in started.record(work); if work != .number(21) { await gate.pass() }; return .success }]),
            recovery, openHandlers: table)
        life.node.openModule()
        for n in UInt64(1)...21 { try life.deliver(.number(Int(n)), n) }
        try await gate.waitForArrivals(1)
        try await clock.waitForSleepers(2)
        #expect(started.elements == [.number(1)] && table.charged.value == [.far(1)])
        clock.advance(by: .seconds(16))
        try await life.journal.waitForSettlements(1)
        #expect(life.journal.settlements.map(\.id) == [.far(21)])
        try await gate.waitForArrivals(20)
        #expect(table.charged.value == [])
        gate.open()
        try await life.journal.waitForSettlements(21)
    }

    @Test func `what runs beside a suspect and does not end keeps the others waiting no longer than a suspect`() async throws {
        let life = Life(on: FakeJournal(), clock: clock.nodeClock)
        let (gate, started) = (Gate(), Recorder<Work>())
        let flow = Doing { work in
            started.record(work)
            if work == .number(1) || work == .number(4) { await gate.pass() }
            return .success
        }
        try await life.join(
            Plain("M", sagas: [flow]),
            recovery(.init(effect: .far(1), deaths: 1, wasAlone: false), .init(effect: .far(2), deaths: 1, wasAlone: false)))
        life.node.openModule()
        for n in UInt64(1)...3 { try life.deliver(.number(Int(n)), n) }
        try await gate.waitForArrivals(1)
        // It has the same root, and may be what the suspect waits for.
        try life.deliver(.number(4), 4, ancestry: [.far(1)])
        try await gate.waitForArrivals(2)
        try await clock.waitForSleepers(3)
        clock.advance(by: .seconds(1))
        try await life.journal.waitForSettlements(2)
        #expect(started.elements == [.number(1), .number(4), .number(2), .number(3)])
        gate.open()
        try await life.journal.waitForSettlements(4)
    }

    @Test func `a suspect that blocks its module gets no company`() async throws {
        let life = Life(on: FakeJournal(), clock: clock.nodeClock)
        let (table, events) = (Table(), Recorder<String>())
        let stuck = Stuck()
        table.hooks.withLock { $0.onRelease = { events.record("released") } }
        try await life.join(
            Plain("M", sagas: [stuck]), recovery(.init(effect: .far(1), deaths: 1, wasAlone: false)), openHandlers: table)
        life.node.openModule()
        try life.deliver(.number(1), 1)
        try await stuck.blocked.wait()
        try await clock.waitForSleepers(2)
        clock.advance(by: .seconds(1))
        for _ in 0..<100 { await Task.yield() }
        #expect(table.charged.value == [.far(1)])
        events.record("goes on")
        stuck.end()
        try await life.journal.waitForSettlements(1)
        #expect(events.elements.first == "goes on")
    }

    @Test func `a suspect may wait for its own module`() async throws {
        let life = Life(on: FakeJournal(answers: false), clock: clock.nodeClock)
        life.exchange.setMembership(version: 2, recipients: ["Work": ["M"]])
        let flow = Doing { work in
            if work == .a { return await actions { Work.b } }
            return .success
        }
        try await life.node.join(
            Plain("M", sagas: [flow]), recovery: recovery(.init(effect: .far(1), deaths: 1, wasAlone: true)),
            handles: ["Work"], emits: ["Work"], isSerial: false)
        life.journal.serve(life.exchange)
        life.node.openModule()
        try life.deliver(.number(1), 2)
        try life.deliver(.a, 1)
        try await life.journal.waitForSettlements(3)
        #expect(life.journal.settlements.allSatisfy { $0.result.isSuccess })
        #expect(life.journal.settlements.map(\.id).last == .far(2))
    }

    @Test func `undecodable input is a dead letter at once, with its bytes and why`() async throws {
        let life = Life(on: FakeJournal(), clock: clock.nodeClock)
        try await life.join(Plain("M", sagas: [Doing()]))
        life.node.openModule()
        let delivery = Relux.Delivery(
            id: .far(1), topic: "Work", content: .encoded([0xFF][...], as: Work.self), ancestry: [], awaitDepth: 0, deadline: nil,
            contracts: .init(said: 0xAB, read: 0xCD))
        life.exchange.deliver(delivery, to: "M")
        try await life.journal.waitForSettlements(1)
        let letter = try #require(life.journal.letters.first)
        #expect(letter.payload == [0xFF])
        guard case .undecodable(let why) = letter.cause else { return #expect(Bool(false)) }
        #expect(why.contains("Work Far#1 could not be decoded"))
        #expect(letter.contract == 0xAB)
        #expect(why.contains("said under contract 00000000000000ab, this module was built with 00000000000000cd"))
        #expect(life.journal.settlements[0].result.settledStatus == .deadLettered)
    }

    @Test func `the table of open handlers knows each handler while it runs`() async throws {
        let life = Life(on: FakeJournal(), clock: clock.nodeClock)
        let table = Table()
        let gate = Gate()
        try await life.join(
            Plain("M", sagas: [Doing { _ in await gate.pass(); return .success }]), openHandlers: table)
        life.node.openModule()
        for n in UInt64(1)...2 { try life.deliver(.a, n) }
        try await gate.waitForArrivals(2)
        #expect(Set(table.open.value.values) == [.far(1), .far(2)])
        gate.open()
        try await life.journal.waitForSettlements(2)
        #expect(table.open.value.isEmpty)
    }

    /// A flow whose actor is blocked, on a thread of its own, until it may end.
    private actor Stuck: Relux.Flow {
        private final class Queue: SerialExecutor {
            private let queue = DispatchQueue(label: "stuck")
            func enqueue(_ job: UnownedJob) { queue.async { job.runSynchronously(on: self.asUnownedSerialExecutor()) } }
        }
        private let queue = Queue()
        nonisolated var unownedExecutor: UnownedSerialExecutor { queue.asUnownedSerialExecutor() }
        private nonisolated let gate = DispatchSemaphore(value: 0)
        nonisolated let blocked = Signal("the module to be blocked")
        nonisolated func end() { gate.signal() }
        func apply(_ effect: any Relux.Effect) async -> Relux.ActionResult {
            block()
            return .success
        }
        private func block() {
            blocked.fire()
            gate.wait()
        }
    }

    private final class Table: Relux.OpenHandlers {
        let open = Watched<[UInt64: EffectID]>([:])
        let charged = Watched<Set<EffectID>>([])
        struct Hooks {
            var onRelease: (@Sendable () -> Void)?
        }
        let hooks = Mutex(Hooks())
        func began(run: UInt64, effect: EffectID?, isCharged: Bool) {
            open.update { $0[run] = effect }
            if isCharged, let effect { charged.update { $0.insert(effect) } }
        }
        func released(run: UInt64) {
            hooks.withLock { $0.onRelease }?()
            if let effect = open.value[run] { charged.update { $0.remove(effect) } }
        }
        func ended(run: UInt64) { open.update { $0[run] = nil } }
    }
}
