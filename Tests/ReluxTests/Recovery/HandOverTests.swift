import ReluxTestKit
import Synchronization
import Testing

@testable import Relux

/// A running total that was a bare number once, and may be one again as long as it is not negative.
private actor Ledgered: Relux.RestorableState {
    struct Stored: Codable, Sendable, Equatable { var total: Int; var isChecked: Bool }
    static let storedVersion: UInt32 = 2
    static let storedName = "Ledgered"
    static let olderVersions: [UInt32] = [1]
    private(set) var stored = Stored(total: 0, isChecked: true)
    func restore(_ stored: Stored) { self.stored = stored }
    func reduce(with action: any Relux.Action) {
        if case .number(let n)? = action as? Work { stored.total += n }
        if case .noted(let n)? = action as? Note { stored.total += n }
    }
    static func migrate(_ older: Relux.StoredValue) throws -> Stored { Stored(total: try older.decode(Int.self), isChecked: false) }
    static func older(_ stored: Stored, version: UInt32) throws -> any Encodable & Sendable {
        guard stored.total >= 0 else { throw Refusal() }
        return stored.total
    }
}

/// Whoever reads it waits.
private actor SlowlyRead: Relux.RestorableState {
    static let storedName = "SlowlyRead"
    private let gate: Gate
    private var total = 0
    init(_ gate: Gate) { self.gate = gate }
    var stored: Int {
        get async {
            await gate.pass()
            return total
        }
    }
    func restore(_ stored: Int) { total = stored }
    func reduce(with action: any Relux.Action) { if case .number(let n)? = action as? Work { total += n } }
}

/// One life of a module gives way to the next, which may be of the same process.
@Suite(.timeLimit(.minutes(1))) struct HandOverTests {
    private let clock = ManualClock()
    private let limit = Duration.seconds(5)

    private func module(_ states: any Relux.AnyState..., body: @escaping @Sendable (Work) async -> Relux.ActionResult) -> Plain {
        Plain("M", states: states, sagas: [Doing(body)])
    }

    @Test func `what runs is finished, what has not begun is left for the successor`() async throws {
        let (journal, gate, begun) = (FakeJournal(), Gate(), Watched(0))
        let life = Life(on: journal)
        try await life.join(
            module { _ in
                begun.update { $0 += 1 }
                await gate.pass()
                return .success
            }, isSerial: true)
        life.node.openModule()
        for position in UInt64(1)...3 { try life.deliver(.a, position) }
        try await begun.wait(for: "the first handler") { $0 == 1 }
        async let handedOver: Void = life.node.handOver(within: limit)
        while life.exchange.state.withLock({ $0.parties.read("M") { $0.admission } }) != .yielding { await Task.yield() }
        try life.deliver(.a, 4)
        gate.open()
        try await handedOver
        #expect(journal.settlements.map(\.id) == [.far(1)])
        #expect(begun.value == 1)
    }

    @Test func `the last capture is waited for, whoever else is let go meanwhile`() async throws {
        let (journal, gate) = (FakeJournal(), Gate())
        let life = Life(on: journal, clock: clock.nodeClock)
        let slow = SlowlyRead(gate)
        try await life.join(module(slow) { _ in .success })
        let keeper = try #require(life.exchange.keeper(of: "M"))
        let limit = Duration.seconds(3600)
        _ = await keeper.reduce(Work.number(5), by: [slow])
        let isOver = Watched(false)
        let (clock, nodeClock) = (clock, clock.nodeClock)
        let rest = Task {
            await keeper.captureRest(by: nodeClock.now() + limit, on: nodeClock)
            isOver.update { $0 = true }
        }
        try await gate.waitForArrivals(1)
        try await clock.waitForSleepers(1)
        // Nothing is at work: it returns at once.
        await keeper.close(by: nodeClock.now() + limit, on: nodeClock)
        for _ in 0..<100 { await Task.yield() }
        #expect(!isOver.value && journal.captures.isEmpty)
        gate.open()
        await rest.value
        #expect(journal.captures.count == 1)
    }

    @Test func `what a running handler waits for is still handled, and nothing else`() async throws {
        let (journal, gate, waits) = (FakeJournal(), Gate(), Watched(false))
        let life = Life(on: journal)
        life.exchange.setMembership(version: 2, recipients: ["Work": ["M"]])
        _ = try await life.node.join(
            module { work in
                guard case .a = work else { return .success }
                waits.update { $0 = true }
                await gate.pass()
                return await actions { Work.b }
            }, recovery: .init(), handles: ["Work"], emits: ["Work"], isSerial: false)
        journal.serve(life.exchange)
        life.node.openModule()
        try life.deliver(.a, 1)
        try await waits.wait(for: "the handler") { $0 }
        async let handedOver: Void = life.node.handOver(within: limit)
        while life.exchange.state.withLock({ $0.parties.read("M") { $0.admission } }) != .yielding { await Task.yield() }
        try life.deliver(.c, 2)
        gate.open()
        try await handedOver
        #expect(Set(journal.settlements.map(\.id)) == [.far(1), EffectID(module: "M", position: 1)])
        #expect(journal.settlements.allSatisfy { $0.result.isSuccess })
    }

    @Test func `a handler that outlives the drain is cancelled, and neither settles nor says anything, whoever serves next`() async throws {
        let (journal, gate) = (FakeJournal(), Gate())
        let (begun, results) = (Watched(0), Recorder<Relux.ActionResult>())
        let life = Life(on: journal, clock: clock.nodeClock)
        let sum = Sum()
        try await life.join(
            module(sum) { _ in
                begun.update { $0 += 1 }
                // Cancelled here; it pays no heed.
                try? await Task.sleep(for: .seconds(86_400))
                await gate.pass()
                results.record(await actions { Reply.ping(1) })
                let kept = try? await once("late") { 1 }
                results.record(kept == nil ? .success : .failure(Refusal()))
                return .success
            })
        life.node.openModule()
        try life.deliver(.number(5), 1)
        try await begun.wait(for: "the handler") { $0 == 1 }
        async let handedOver: Void = life.node.handOver(within: limit)
        try await clock.waitForSleepers(dueWithin: limit)
        clock.advance(by: limit)
        try await handedOver
        // The hand-over has failed: the same process serves it again.
        let second = Relux.clusterNode(for: "M", on: life.exchange)
        _ = try await second.join(
            module(Sum()) { _ in .success }, recovery: journal.recovery, handles: ["Work"], emits: ["Reply"], isSerial: false)
        second.openModule()
        gate.open()
        let said = try await results.wait(count: 2)
        #expect(said[0].codes == ["closed"] && said[1].isSuccess)
        #expect(journal.settlements.isEmpty && journal.effects.isEmpty)
        // It was reduced and has not settled: the re-run skips the reducer.
        #expect(journal.captures.map(\.reduced) == [[.far(1)]])
        try life.deliver(.number(5), 1)
        try await journal.waitForSettlements(1)
        #expect(second.lifeNumber == journal.settlements[0].life && second.lifeNumber != life.node.lifeNumber)
    }

    @Test func `a handler that waits for an answer is let go at the limit`() async throws {
        let (journal, results) = (FakeJournal(answers: false), Recorder<Relux.ActionResult>())
        let life = Life(on: journal, clock: clock.nodeClock)
        try await life.join(
            module { _ in
                let result = await actions { Reply.ping(1) }
                results.record(result)
                return result
            })
        life.node.openModule()
        try life.deliver(.a, 1)
        try await journal.waitForEffects(1)
        async let handedOver: Void = life.node.handOver(within: limit)
        try await clock.waitForSleepers(dueWithin: limit)
        clock.advance(by: limit)
        try await handedOver
        let said = try await results.wait(count: 1)
        #expect(said[0].codes == ["closed"])
        #expect(journal.settlements.isEmpty && life.exchange.state.withLock { $0.pending.isEmpty })
    }

    @Test func `what was reduced behind the last settlement is captured too`() async throws {
        let journal = FakeJournal()
        let life = Life(on: journal)
        try await life.join(module(Sum()) { _ in .success })
        life.node.openModule()
        try life.deliver(.number(2), 1)
        try await journal.waitForSettlements(1)
        await life.node.dispatcher.actions { Note.noted(40) }
        try await life.node.handOver(within: limit)
        await life.node.dispose()
        #expect(try journal.captures.last?.bytes == CBOR.encode(Sum.Stored(total: 42)))
    }

    @Test func `of a serial module the actions of a handler that was cut are not captured`() async throws {
        let journal = FakeJournal()
        let begun = Watched(false)
        let life = Life(on: journal, clock: clock.nodeClock)
        try await life.join(
            module(Sum()) { work in
                guard case .number(40) = work else { return .success }
                await actions { Note.noted(1000) }
                begun.update { $0 = true }
                try? await Task.sleep(for: .seconds(86_400))
                return .success
            }, isSerial: true)
        life.node.openModule()
        try life.deliver(.number(2), 1)
        try await journal.waitForSettlements(1)
        try life.deliver(.number(40), 2)
        try await begun.wait(for: "the handler") { $0 }
        async let handedOver: Void = life.node.handOver(within: limit)
        try await clock.waitForSleepers(dueWithin: limit)
        clock.advance(by: limit)
        try await handedOver
        #expect(try journal.recovery.states["Sum"]?.bytes == CBOR.encode(Sum.Stored(total: 2)))
    }

    @Test func `a state is captured in the older version that the successor reads`() async throws {
        let journal = FakeJournal()
        let life = Life(on: journal)
        try await life.join(module(Ledgered()) { _ in .success })
        #expect(life.node.storedShapes.map { "\($0.name) \($0.version) \($0.backTo)" } == ["Ledgered 2 [1]"])
        life.node.openModule()
        try life.deliver(.number(7), 1)
        try await journal.waitForSettlements(1)
        try await life.node.handOver(within: limit, older: ["Ledgered": 1, "Another": 4])
        let last = try #require(journal.recovery.states["Ledgered"])
        #expect(try last.version == 1 && last.bytes == CBOR.encode(7))
    }

    @Test func `a value that has no way back calls the hand-over off, and stays in today's version`() async throws {
        for (version, number) in [(UInt32(1), -7), (3, 7)] {
            let journal = FakeJournal()
            let life = Life(on: journal)
            try await life.join(module(Ledgered()) { _ in .success })
            life.node.openModule()
            try life.deliver(.number(number), 1)
            try await journal.waitForSettlements(1)
            await #expect(throws: (any Error).self) { try await life.node.handOver(within: limit, older: ["Ledgered": version]) }
            #expect(journal.recovery.states["Ledgered"]?.version == 2)
        }
    }
}
