import ReluxTestKit
import Synchronization
import Testing

@testable import Relux

/// An older build's state: the same name, another shape.
private actor Price: Relux.RestorableState {
    struct Stored: Codable, Sendable { var cents: Int; var key: Secret<String> }
    struct Older: Codable, Sendable { var euros: Int; var key: Secret<String> }
    static let storedVersion: UInt32 = 3
    static let storedName = "Price"
    private(set) var cents = 0
    private(set) var key = ""
    var stored: Stored { Stored(cents: cents, key: Secret(key)) }
    func restore(_ stored: Stored) {
        cents = stored.cents
        key = stored.key.reveal()
    }
    func reduce(with action: any Relux.Action) { if case .number(let n)? = action as? Work { cents += n } }
    static func migrate(_ older: Relux.StoredValue) throws -> Stored {
        guard older.version == 2 else { throw Refusal() }
        let older = try older.decode(Older.self)
        return Stored(cents: older.euros * 100, key: older.key)
    }
}

/// Takes its time for 2.
private actor Slow: Relux.RestorableState {
    private let gate: Gate
    private var total = 0
    init(gate: Gate) { self.gate = gate }
    var stored: Int { total }
    func restore(_ stored: Int) { total = stored }
    func reduce(with action: any Relux.Action) async {
        guard case .number(let n)? = action as? Work else { return }
        if n == 2 { await gate.pass() }
        total += n
    }
}

/// Lives on the main actor.
@MainActor private final class Board: Relux.HybridState, Relux.RestorableState {
    nonisolated static let storedName = "Board"
    private(set) var lines: [Int] = []
    nonisolated init() {}
    var stored: [Int] { lines }
    func restore(_ stored: [Int]) { lines = stored }
    func reduce(with action: any Relux.Action) { if case .number(let n)? = action as? Work { lines.append(n) } }
}

@Suite(.timeLimit(.minutes(1))) struct RestoreTests {
    private let sealer = XORSealing()
    private func module(_ states: any Relux.AnyState...) -> Plain { Plain("M", states: states, sagas: [Doing()]) }
    private func recovery(_ states: Relux.CapturedState...) -> Relux.Recovery {
        var recovery = Relux.Recovery()
        for state in states { recovery.states[state.name] = state }
        return recovery
    }
    private func sum(_ total: Int, reduced: [EffectID] = []) throws -> Relux.CapturedState {
        .init(name: "Sum", version: 1, bytes: try CBOR.encode(Sum.Stored(total: total)), reduced: reduced)
    }
    private func price(_ version: UInt32, _ value: some Encodable) throws -> Relux.CapturedState {
        .init(
            name: "Price", version: version, bytes: try CBOR.encode(value, userInfo: [.reluxSealer: sealer]), reduced: [])
    }
    private func refusal(
        _ life: Life, _ module: Plain, _ recovery: Relux.Recovery
    ) async -> Relux.RegistrationError? {
        do {
            try await life.join(module, recovery)
            return nil
        } catch {
            return error as? Relux.RegistrationError
        }
    }

    @Test func `a state gets its last value before the module handles anything`() async throws {
        let life = Life(on: FakeJournal())
        let state = Sum()
        try life.deliver(.number(1), 1)
        let unknown = try await life.join(module(state), recovery(try sum(40)))
        #expect(unknown.isEmpty)
        #expect(await state.total == 40)
        try life.deliver(.number(2), 2)
        life.node.openModule()
        try await life.journal.waitForSettlements(1)
        #expect(await state.total == 42)
        #expect(life.journal.captures.map(\.bytes) == [try CBOR.encode(Sum.Stored(total: 42))])
    }

    @Test func `an older version is migrated, its secrets opened, and recorded in today's with the next settlement`() async throws {
        let life = Life(on: FakeJournal(sealer: sealer))
        let state = Price()
        try await life.join(
            module(state), recovery(try price(2, Price.Older(euros: 5, key: Secret("swordfish")))))
        #expect(await state.cents == 500)
        #expect(await state.key == "swordfish")
        life.node.openModule()
        try life.deliver(.a, 1)
        try await life.journal.waitForSettlements(1)
        let captured = try #require(life.journal.captures.first)
        #expect(captured.version == 3)
        #expect(!String(decoding: captured.bytes, as: UTF8.self).contains("swordfish"))
    }

    @Test func `a newer version refuses the module by name, both versions and remedy`() async throws {
        let life = Life(on: FakeJournal(sealer: sealer))
        let kept = Relux.CapturedState(name: "Price", version: 4, bytes: [], reduced: [])
        let error = try #require(await refusal(life, module(Price()), recovery(kept)))
        #expect(error.code == .storedState)
        for part in ["M has stored Price in version 4", "up to 3", "start a build that knows version 4"] {
            #expect(error.message.contains(part))
        }
    }

    @Test func `a version without a migration refuses the module, and so does what cannot be decoded`() async throws {
        for version in [UInt32(1), 3] {
            let life = Life(on: FakeJournal(sealer: sealer))
            let kept = Relux.CapturedState(name: "Price", version: version, bytes: [0xFF], reduced: [])
            let error = try #require(await refusal(life, module(Price()), recovery(kept)))
            #expect(error.code == .storedState)
            #expect(error.message.contains("M has stored Price in version \(version), and version 3 of this build"))
        }
    }

    @Test func `when one state cannot be restored none is, and the module is not there`() async throws {
        let life = Life(on: FakeJournal(sealer: sealer))
        let state = Sum()
        let broken = Relux.CapturedState(name: "Price", version: 3, bytes: [], reduced: [])
        _ = try #require(await refusal(life, module(state, Price()), recovery(try sum(7), broken)))
        #expect(await state.restorations == 0)
        #expect(life.node.store.getState(Sum.self) == nil)
        #expect(life.exchange.parties.isEmpty)
    }

    @Test func `a stored state that the module does not bring any more is named`() async throws {
        let life = Life(on: FakeJournal())
        #expect(try await life.join(module(), recovery(try sum(1))) == ["Sum"])
    }

    @Test func `numbers go on where the journal ended`() async throws {
        let life = Life(on: FakeJournal())
        var recovery = Relux.Recovery()
        recovery.position = 41
        recovery.sequences = ["Reply": 7]
        try await life.join(module(), recovery)
        await life.node.dispatcher.actions { Reply.ping(1) }
        #expect(life.journal.effects.map(\.id.position) == [42])
        #expect(life.journal.effects.map(\.sequence) == [8])
    }

    @Test func `a value that has the effect already is spared by its re-run, another state of the module is not`() async throws {
        let life = Life(on: FakeJournal())
        let (state, counter) = (Sum(), Counter())
        try await life.join(module(state, counter), recovery(try sum(5, reduced: [.far(1)])))
        life.node.openModule()
        try life.deliver(.number(5), 1)
        try life.deliver(.number(3), 2)
        try await life.journal.waitForSettlements(2)
        #expect(await state.total == 8)
        #expect(await counter.total == 8)
    }

    @Test func `a state that cannot be stored fails its effects by name, and only while it cannot`() async throws {
        let life = Life(on: FakeJournal())
        try await life.join(module(Sum()))
        life.node.openModule()
        for (n, work) in [Work.number(1), .b, .c].enumerated() {
            try life.deliver(work, UInt64(n + 1))
            try await life.journal.waitForSettlements(n + 1)
        }
        let results = life.journal.settlements.map(\.result)
        #expect(results.map(\.isSuccess) == [true, false, true])
        #expect(results[1].failures[0].message.contains("Sum could not be stored"))
        #expect(life.exchange.counters()["M"]?.failed == 1)
    }

    @Test func `the last value is handed over before a leaving module's states are cleaned up`() async throws {
        let life = Life(on: FakeJournal())
        let state = Sum()
        try await life.join(module(state))
        life.node.openModule()
        for n in UInt64(1)...50 { try life.deliver(.number(1), n) }
        #expect(await life.node.leave(within: .seconds(60)))
        #expect(life.journal.settlements.count == 50)
        #expect(life.journal.captures.last?.bytes == (try CBOR.encode(Sum.Stored(total: 50))))
        #expect(await state.total == 0)
    }

    @Test func `a capture waits for a reducer that is halfway`() async throws {
        let life = Life(on: FakeJournal())
        let (reducing, handling) = (Gate(), Gate())
        let state = Slow(gate: reducing)
        let flow = Doing { work in
            if work == .number(1) { await handling.pass() }
            return .success
        }
        try await life.join(Plain("M", states: [state], sagas: [flow]))
        life.node.openModule()
        try life.deliver(.number(1), 1)
        try await handling.waitForArrivals(1)
        try life.deliver(.number(2), 2)
        try await reducing.waitForArrivals(1)
        handling.open()
        let keeper = try #require(life.exchange.state.withLock { $0.parties.read("M") { $0.lasting.keeper } ?? nil })
        while keeper.lock.waiting == 0, life.journal.settlements.isEmpty { await Task.yield() }
        reducing.open()
        try await life.journal.waitForSettlements(2)
        // Whether 2 had settled by then or was listed: it is in the value.
        #expect(life.journal.captures[0].bytes == (try CBOR.encode(3)))
    }

    @Test func `a state of the main actor survives like any other`() async throws {
        let life = Life(on: FakeJournal())
        let state = Board()
        try await life.join(
            module(state), recovery(.init(name: "Board", version: 1, bytes: try CBOR.encode([1, 2]), reduced: [.far(2)])))
        life.node.openModule()
        for n in 2...3 { try life.deliver(.number(n), UInt64(n)) }
        try await life.journal.waitForSettlements(2)
        #expect(await state.lines == [1, 2, 3])
        #expect(life.journal.captures.last?.bytes == (try CBOR.encode([1, 2, 3])))
    }

    @Test func `a handler that outlives its module settles nothing, not even for the module's next instance`() async throws {
        let life = Life(on: FakeJournal())
        let (gate, started) = (Gate(), Signal())
        let flow = Doing { _ in
            started.fire()
            await gate.pass()
            return .success
        }
        try await life.join(Plain("M", states: [Sum()], sagas: [flow]))
        life.node.openModule()
        try life.deliver(.number(1), 1)
        try await started.wait()
        #expect(await !life.node.leave(within: .zero))
        let state = Sum()
        try await life.join(module(state))
        life.node.openModule()
        try life.deliver(.number(1), 1)
        try await life.journal.waitForSettlements(1)
        gate.open()
        try life.deliver(.number(2), 2)
        try await life.journal.waitForSettlements(2)
        #expect(life.journal.settlements.map(\.id) == [.far(1), .far(2)])
        #expect(await state.total == 3)
    }

    @Test func `two states of one stored name are refused`() async throws {
        actor Twin: Relux.RestorableState {
            static let storedName = "Sum"
            var stored: Int { 0 }
            func restore(_ stored: Int) {}
            func reduce(with action: any Relux.Action) {}
        }
        let error = try #require(await refusal(Life(on: FakeJournal()), module(Sum(), Twin()), .init()))
        #expect(error.code == .duplicateState)
    }

    @Test func `settlements of a burst share captures`() async throws {
        let life = Life(on: FakeJournal())
        let gate = Gate()
        try await life.join(Plain("M", states: [Sum()], sagas: [Doing { _ in await gate.pass(); return .success }]))
        life.node.openModule()
        for n in UInt64(1)...40 { try life.deliver(.number(1), n) }
        try await gate.waitForArrivals(40)
        gate.open()
        try await life.journal.waitForSettlements(40)
        #expect(life.journal.captures.count < 40)
        #expect(life.journal.captures.last?.bytes == (try CBOR.encode(Sum.Stored(total: 40))))
    }
}
