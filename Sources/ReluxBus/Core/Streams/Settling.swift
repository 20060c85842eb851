package import Relux
import ReluxLedger

/// Effects of one stream that a module has settled alike, one behind the other: they share a record. Pure.
///
/// Only plain successes are taken together; what has a result, a failure or a divergence stands alone.
package struct Settling: Sendable {
    package let publisher: ModuleID
    package let topic: Topic
    package let recipient: ModuleID
    /// The recipient's life in this process; see ``BusCore/Local/life``.
    package let life: UInt64
    package let durability: Relux.Durability
    package private(set) var effects: EffectRuns
    /// The time that all of them took together.
    package private(set) var duration: Duration
    /// Positions of the recipient's own effects.
    let diverged: [UInt64]
    package let result: Relux.ActionResult
    /// The result as it is said; nil for a success without a value.
    let coded: [UInt8]?
    private let isPlain: Bool

    package init(_ settled: Relux.Settled) {
        (publisher, topic, recipient) = (settled.id.module, settled.topic, settled.recipient)
        (life, durability, duration, result, coded) = (settled.life, settled.durability, settled.duration, settled.result, settled.coded)
        effects = EffectRuns(position: settled.id.position, sequence: settled.sequence)
        diverged = settled.diverged.map(\.position)
        isPlain = settled.isPlain
    }

    /// False when the effect needs a record of its own.
    mutating func takes(_ settled: Relux.Settled) -> Bool {
        guard isPlain, settled.isPlain, settled.durability == durability, settled.life == life, settled.topic == topic,
            settled.id.module == publisher, settled.recipient == recipient,
            effects.append(position: settled.id.position, sequence: settled.sequence)
        else { return false }
        duration += settled.duration
        return true
    }

    /// The effects that the recipient has not settled before; nil when there are none.
    func effects(besides done: SequenceSet) -> EffectRuns? {
        guard done.overlaps(effects.firstEffect.sequence...effects.lastEffect.sequence) else { return effects }
        var rest: EffectRuns?
        for effect in effects where !done.contains(effect.sequence) {
            if rest?.append(position: effect.position, sequence: effect.sequence) == nil {
                rest = EffectRuns(position: effect.position, sequence: effect.sequence)
            }
        }
        return rest
    }
}

extension [Settling] {
    /// In the order in which they were settled.
    package init(_ batch: [Relux.Settled]) {
        self = []
        for settled in batch { add(settled) }
    }

    mutating func add(_ settled: Relux.Settled) {
        if !isEmpty, self[count - 1].takes(settled) { return }
        append(Settling(settled))
    }
}

extension Relux.Settled {
    /// It says no more than that the effect was handled.
    fileprivate var isPlain: Bool { coded == nil && diverged.isEmpty }
}
