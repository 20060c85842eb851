import ReluxTestKit
import Synchronization

@testable import Relux

/// A way out that keeps what it is told in memory and "dies" after a given number of records: nothing that comes later is kept.
///
/// Recipients elsewhere are one module, `Peer`, which settles every effect at once with its payload's number, or when it is told.
final class FakeJournal: Relux.Uplink {
    enum Record: Sendable {
        case effect(Relux.Emission)
        case batch([Relux.Settled], [Relux.CapturedState])
        case acked(EffectID, by: ModuleID, Relux.ActionResult)
        case once(Relux.KeptValue)
        case attempt(EffectID, deaths: Int, isAlone: Bool)
        case dead(Relux.DeadLetter)
    }
    struct State: Sendable {
        var records: [Record]
        var left: Int
        var isDead: Bool { left <= 0 }
    }
    let state: Watched<State>
    let sealer: (any Relux.SecretSealing)?
    private let answers: Bool
    private let exchange = Mutex<Relux.Exchange?>(nil)

    init(_ records: [Record] = [], dyingAfter left: Int = .max, answers: Bool = true, sealer: (any Relux.SecretSealing)? = nil) {
        state = Watched(State(records: records, left: left))
        self.answers = answers
        self.sealer = sealer
    }

    var records: [Record] { state.value.records }

    func serve(_ exchange: Relux.Exchange) {
        self.exchange.withLock { $0 = exchange }
        for id in recovery.pending.keys.sorted() { answer(id) }
    }

    /// Ends this life: nothing is kept any more, and nobody is left waiting.
    func kill() {
        state.update { $0.left = 0 }
        guard let exchange = exchange.withLock({ $0 }) else { return }
        for resumption in exchange.state.withLock({ $0.lose("Peer").resumptions }) { exchange.resume(resumption) }
    }

    /// False when it was dead already.
    private func keep(_ record: Record) -> Bool {
        state.update { state in
            guard !state.isDead else { return false }
            state.records.append(record)
            state.left -= 1
            return true
        }
    }

    /// The peer settles the effect.
    func answer(_ id: EffectID, _ result: Relux.ActionResult = .success) {
        guard answers else { return }
        settle(id, result)
    }

    func settle(_ id: EffectID, by recipient: ModuleID = "Peer", _ result: Relux.ActionResult = .success) {
        guard keep(.acked(id, by: recipient, result)) else { return }
        let exchange = exchange.withLock { $0 }
        // Not in the caller's stack: `append` comes under the exchange's lock.
        Task.detached { exchange?.settle(id, by: recipient, with: result) }
    }

    // MARK: Uplink

    func append(_ appended: Relux.Emission) {
        guard keep(.effect(appended)) else { return }
        if appended.recipients.contains("Peer") { answer(appended.id) }
        guard appended.recipients.contains("M") else { return }
        let exchange = exchange.withLock { $0 }
        Task.detached {
            exchange?.deliver(
                Relux.Delivery(
                    id: appended.id, topic: appended.topic, sequence: appended.sequence,
                    content: .encoded(appended.payload[...], as: Work.self), ancestry: appended.ancestry,
                    awaitDepth: appended.awaitDepth, deadline: nil), to: "M")
        }
    }
    func settled(_ settled: Relux.Settled) { self.settled([settled], capturing: [], of: settled.recipient, life: settled.life) }
    func settled(_ batch: [Relux.Settled], capturing states: [Relux.CapturedState], of module: ModuleID, life: UInt64) {
        guard keep(.batch(batch, states)) else { return }
        settleOwn(batch)
    }

    /// Settles the effects that the module has said to itself.
    private func settleOwn(_ batch: [Relux.Settled]) {
        let exchange = exchange.withLock { $0 }
        // Not in the caller's stack: it may come under the exchange's lock.
        Task.detached {
            for settled in batch where settled.id.module == "M" {
                exchange?.settle(settled.id, by: settled.recipient, with: settled.result)
            }
        }
    }
    func keep(_ value: Relux.KeptValue, of module: ModuleID) async -> Bool { keep(.once(value)) }
    func attempting(_ effect: EffectID, of module: ModuleID, deaths: Int, wasAlone: Bool) async {
        _ = keep(.attempt(effect, deaths: deaths, isAlone: wasAlone))
    }
    func deadLetter(_ letter: Relux.DeadLetter, of module: ModuleID) { _ = keep(.dead(letter)) }

    // MARK: What is in it

    var settlements: [Relux.Settled] {
        records.flatMap { record -> [Relux.Settled] in if case .batch(let batch, _) = record { batch } else { [] } }
    }
    var captures: [Relux.CapturedState] {
        records.flatMap { record -> [Relux.CapturedState] in if case .batch(_, let states) = record { states } else { [] } }
    }
    var effects: [Relux.Emission] {
        records.compactMap { if case .effect(let effect) = $0 { effect } else { nil } }
    }
    var attempts: [EffectID] {
        records.compactMap { if case .attempt(let effect, _, _) = $0 { effect } else { nil } }
    }
    var letters: [Relux.DeadLetter] {
        records.compactMap { if case .dead(let letter) = $0 { letter } else { nil } }
    }

    func waitForSettlements(_ count: Int) async throws {
        try await state.wait(for: "\(count) settlements") { state in
            state.records.reduce(0) { if case .batch(let batch, _) = $1 { $0 + batch.count } else { $0 } } >= count
        }
    }
    func waitForEffects(_ count: Int) async throws {
        try await state.wait(for: "\(count) effects") { state in
            state.records.filter { if case .effect = $0 { true } else { false } }.count >= count
        }
    }

    /// The fold that recovery makes of a journal.
    var recovery: Relux.Recovery {
        var recovery = Relux.Recovery()
        let settled = Set(settlements.map(\.id))
        for record in records {
            switch record {
            case .effect(let effect):
                recovery.position = effect.id.position
                recovery.sequences[effect.topic] = effect.sequence
                recovery.pending[effect.id] = Array(effect.recipients)
                if let cause = effect.ancestry.last, !effect.isDetached, !settled.contains(cause) {
                    recovery.emissions[cause, default: []]
                        .append(.init(id: effect.id, topic: effect.topic, payload: effect.payload))
                }
            case .acked(let id, let recipient, let result):
                recovery.pending[id]?.removeAll { $0 == recipient }
                for cause in recovery.emissions.keys {
                    for index in recovery.emissions[cause]?.indices ?? 0..<0 where recovery.emissions[cause]?[index].id == id {
                        recovery.emissions[cause]?[index].result = result
                    }
                }
            case .once(let value):
                if !settled.contains(value.cause) { recovery.once[value.cause, default: [:]][value.name] = value.bytes }
            case .batch(let batch, let states):
                for settled in batch { recovery.pending[settled.id]?.removeAll { $0 == settled.recipient } }
                for state in states { recovery.states[state.name] = state }
            case .attempt, .dead: break
            }
        }
        recovery.pending = recovery.pending.filter { !$0.value.isEmpty }
        return recovery
    }
}

/// One life of a module on a journal.
struct Life {
    let journal: FakeJournal
    let exchange: Relux.Exchange
    let node: Relux

    init(on journal: FakeJournal, clock: Relux.NodeClock = .continuous) {
        self.journal = journal
        exchange = Relux.Exchange(clock: clock, uplink: journal)
        node = .clusterNode(for: "M", on: exchange, clock: clock, sealer: journal.sealer)
        exchange.setMembership(version: 1, recipients: ["Reply": ["Peer"]])
    }

    @discardableResult
    func join(
        _ module: any Relux.Module, _ recovery: Relux.Recovery? = nil, isSerial: Bool = false,
        openHandlers: (any Relux.OpenHandlers)? = nil
    ) async throws -> [String] {
        let unknown = try await node.join(
            module, recovery: recovery ?? journal.recovery, handles: ["Work"], emits: ["Reply"], isSerial: isSerial,
            openHandlers: openHandlers)
        journal.serve(exchange)
        return unknown
    }

    /// The peer is known to be absent.
    func setAbsent(_ why: String) {
        exchange.setMembership(version: 2, recipients: ["Reply": ["Peer"]], absences: ["Peer": why])
    }

    /// The effect comes from far away; its id is its number.
    func deliver(_ work: Work, _ position: UInt64, ancestry: [EffectID] = []) throws {
        exchange.deliver(
            Relux.Delivery(
                id: .far(position), topic: "Work", content: .encoded(try CBOR.encode(work)[...], as: Work.self),
                ancestry: ancestry, awaitDepth: 0, deadline: nil), to: "M")
    }
}

extension EffectID {
    static func far(_ position: UInt64) -> EffectID { EffectID(module: "Far", position: position) }
}

/// A sum that survives; it may be told not to be storable.
actor Sum: Relux.RestorableState {
    struct Stored: Codable, Sendable, Equatable {
        var total: Int
        var isBroken = false
        init(total: Int, isBroken: Bool = false) {
            self.total = total
            self.isBroken = isBroken
        }
        func encode(to encoder: any Encoder) throws {
            if isBroken { throw Refusal() }
            var container = encoder.container(keyedBy: CodingKeys.self)
            try container.encode(total, forKey: .total)
        }
        init(from decoder: any Decoder) throws {
            total = try decoder.container(keyedBy: CodingKeys.self).decode(Int.self, forKey: .total)
        }
        enum CodingKeys: CodingKey { case total }
    }
    private(set) var total = 0
    private(set) var restorations = 0
    private var isBroken = false

    var stored: Stored { Stored(total: total, isBroken: isBroken) }
    func restore(_ stored: Stored) {
        total = stored.total
        restorations += 1
    }
    func reduce(with action: any Relux.Action) {
        if case .number(let n)? = action as? Work { total += n }
        if case .noted(let n)? = action as? Note { total += n }
        switch action as? Work {
        case .b: isBroken = true
        case .c: isBroken = false
        default: break
        }
    }
    func cleanup() { total = 0 }
}

/// A flow that does what it is told.
actor Doing: Relux.Flow {
    private let body: @Sendable (Work) async -> Relux.ActionResult
    init(_ body: @escaping @Sendable (Work) async -> Relux.ActionResult = { _ in .success }) { self.body = body }
    func apply(_ effect: any Relux.Effect) async -> Relux.ActionResult {
        guard let work = effect as? Work else { return .success }
        return await body(work)
    }
}
