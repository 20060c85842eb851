import Relux
@testable import ReluxLedger

/// The restorable state of a simulated module: a sum over the effects that its reducer has seen.
struct SimulatedState {
    static let name = "sum"
    private(set) var sum: UInt64 = 0
    /// Seen and not settled, also by earlier lives.
    private(set) var reduced: Set<EffectID> = []

    init() {}

    init(_ record: StateRecord) {
        sum = record.value.reduce(0) { $0 << 8 | UInt64($1) }
        reduced = Set(record.reduced)
    }

    mutating func reduce(_ effect: EffectID) {
        if reduced.insert(effect).inserted { sum &+= Self.weight(of: effect) }
    }

    mutating func settle(_ effect: EffectID) { reduced.remove(effect) }

    var captured: Relux.CapturedState {
        let bytes = (0..<8).map { UInt8(truncatingIfNeeded: sum >> (56 - 8 * $0)) }
        return Relux.CapturedState(name: Self.name, version: 1, bytes: bytes, reduced: reduced.sorted())
    }

    /// Without what its handlers had not ended.
    var settledSum: UInt64 { reduced.reduce(sum) { $0 &- Self.weight(of: $1) } }

    static func weight(of effect: EffectID) -> UInt64 {
        (effect.module.rawValue.utf8.reduce(effect.position) { ($0 ^ UInt64($1)) &* 0x100_0000_01b3 }) | 1
    }
}

extension Ledger {
    /// All that recovery must find again.
    package var summary: String {
        let streams = streams.sorted { $0.key < $1.key }.map { topic, state in
            "\(topic) \(state.head) \(state.pending.map { "\($0.sequence):\($0.outstanding)" })"
        }
        let cursors = cursors.sorted { $0.key < $1.key }.map { "\($0.key) \($0.value.ranges)" }
        return "\(position) \(streams) \(cursors)"
    }
}
