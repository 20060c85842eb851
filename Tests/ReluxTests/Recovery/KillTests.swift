import ReluxTestKit
import Testing

@testable import Relux

/// A module whose process is killed again and again, each time after a random number of journal records.
@Suite(.timeLimit(.minutes(2))) struct KillTests {
    private struct Totals {
        var deaths = 0
        var records: [FakeJournal.Record] = []
    }

    /// Works off the inputs 1...count over as many lives as it takes; `Sum` must equal what is settled after each death.
    private func live(
        count: Int, deaths: Int, isSerial: Bool, seed: UInt64,
        _ body: @escaping @Sendable (Int) async -> Relux.ActionResult
    ) async throws -> FakeJournal {
        var random = SplitMix(state: seed)
        var records: [FakeJournal.Record] = []
        for life in 0...deaths {
            let isLast = life == deaths
            let left = isLast ? Int.max : Int.random(in: 1...8, using: &random)
            let journal = FakeJournal(records, dyingAfter: left)
            let state = Sum()
            let module = Plain(
                "M", states: [state],
                sagas: [Doing { if case .number(let n) = $0 { await body(n) } else { .success } }])
            let one = Life(on: journal)
            try await one.join(module, isSerial: isSerial)
            try check(journal, restored: await state.total, life: life, seed: seed)
            let settled = Set(journal.settlements.map(\.id))
            let missing = (1...count).filter { !settled.contains(.far(UInt64($0))) }
            one.node.openModule()
            // No more of them than the sum of what this life can settle, or a life would mostly be thrown away.
            for n in isLast ? missing : Array(missing.prefix(12)) { try one.deliver(.number(n), UInt64(n)) }
            if isLast || missing.isEmpty {
                try await journal.waitForSettlements(count)
                try check(journal, restored: await state.total, life: life, seed: seed)
                #expect(await state.total == count * (count + 1) / 2)
                return journal
            }
            try await journal.state.wait(for: "death \(life), seed \(seed)") { [missing] in
                $0.isDead || Self.settled($0.records) == count && !missing.isEmpty
            }
            journal.kill()
            records = journal.records
        }
        return FakeJournal(records)
    }

    private static func settled(_ records: [FakeJournal.Record]) -> Int {
        records.reduce(0) { if case .batch(let batch, _) = $1 { $0 + batch.count } else { $0 } }
    }

    /// The restored sum, less the effects in it that will be run again without their reducer, is the sum of those that are settled.
    private func check(_ journal: FakeJournal, restored: Int, life: Int, seed: UInt64) throws {
        let settled = journal.settlements.map(\.id)
        #expect(Set(settled).count == settled.count, "settled twice; life \(life), seed \(seed)")
        let last = journal.recovery.states["Sum"]
        let ahead = (last?.reduced ?? []).filter { !settled.contains($0) }
        let expected = settled.reduce(0) { $0 + Int($1.position) }
        #expect(
            restored - ahead.reduce(0) { $0 + Int($1.position) } == expected, "life \(life), seed \(seed)")
    }

    @Test(arguments: UInt64(1)...2) func `200 deaths at random points leave exactly what is settled, and no emission twice`(
        seed: UInt64
    ) async throws {
        let count = 400
        let journal = try await live(count: count, deaths: 200, isSerial: false, seed: seed) { n in
            do {
                let first = try await once("first") { Int.random(in: 0..<1_000_000) * 1000 + n }
                await actions { Reply.ping(first) }
                await actions { Reply.pong(n) }
                return .success
            } catch {
                return .failure(error)
            }
        }
        #expect(journal.settlements.allSatisfy { $0.result.isSuccess && $0.diverged.isEmpty })
        // One ping and one pong for each input, whatever died between.
        var said: [EffectID: Int] = [:]
        for effect in journal.effects { effect.ancestry.last.map { said[$0, default: 0] += 1 } }
        #expect(said.count == count)
        #expect(said.values.allSatisfy { $0 == 2 })
        #expect(journal.effects.map(\.id.position) == (1...UInt64(2 * count)).map { $0 })
    }

    @Test func `in a serial module the actions of an interrupted handler are not applied twice either`() async throws {
        let count = 200
        // Its reducer ignores the effect: all comes by actions, half before and half after an await.
        let journal = try await liveByActions(count: count, deaths: 100, seed: 3)
        #expect(journal.settlements.count == count)
    }

    private func liveByActions(count: Int, deaths: Int, seed: UInt64) async throws -> FakeJournal {
        var random = SplitMix(state: seed)
        var records: [FakeJournal.Record] = []
        for life in 0...deaths {
            let left = life == deaths ? Int.max : Int.random(in: 1...8, using: &random)
            let journal = FakeJournal(records, dyingAfter: left)
            let state = Tally()
            let flow = Doing { work in
                guard case .number(let n) = work else { return .success }
                await actions { Note.noted(n) }
                await actions { Reply.ping(n) }
                await actions { Note.noted(n) }
                return .success
            }
            let one = Life(on: journal)
            try await one.join(Plain("M", states: [state], sagas: [flow]), isSerial: true)
            let settled = journal.settlements.map(\.id)
            let expected = settled.reduce(0) { $0 + 2 * Int($1.position) }
            #expect(await state.total == expected, "life \(life), seed \(seed)")
            let missing = (1...count).filter { !settled.contains(.far(UInt64($0))) }
            one.node.openModule()
            for n in missing { try one.deliver(.number(n), UInt64(n)) }
            if life == deaths || missing.isEmpty {
                try await journal.waitForSettlements(count)
                return journal
            }
            try await journal.state.wait(for: "death \(life)") { $0.isDead || Self.settled($0.records) == count }
            journal.kill()
            records = journal.records
        }
        return FakeJournal(records)
    }
}

/// Sums actions only.
private actor Tally: Relux.RestorableState {
    private(set) var total = 0
    var stored: Int { total }
    func restore(_ stored: Int) { total = stored }
    func reduce(with action: any Relux.Action) { if case .noted(let n)? = action as? Note { total += n } }
    nonisolated var reduces: [any Relux.Action.Type]? { [Note.self] }
}

/// Seeded, so that a failure can be run again.
private struct SplitMix: RandomNumberGenerator {
    var state: UInt64
    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var z = state
        z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
        z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
        return z ^ (z >> 31)
    }
}
