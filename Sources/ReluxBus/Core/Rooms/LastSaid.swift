import Relux

/// The context and the waiter's time of the effect that was said last: the next effect mostly shares both. Pure.
struct LastSaid: Sendable {
    private var last: Context?
    private var remaining: (duration: Duration, milliseconds: UInt64) = (.zero, 1)

    /// The context of the effect before, if this one is said by the same place for the same cause.
    func context(of emission: Relux.Emission) -> EffectContext? {
        if let last, last.isOf(emission) { return last.context }
        return nil
    }

    mutating func note(_ context: EffectContext, of emission: Relux.Emission) { last = Context(emission, context) }

    mutating func forgetContext() { last = nil }

    /// Zero when nobody waits. Mostly as long as the one before: taking a duration apart costs a division of 128 bits.
    mutating func milliseconds(_ duration: Duration?) -> UInt64 {
        guard let duration else { return 0 }
        if remaining.duration != duration { remaining = (duration, Self.milliseconds(duration)) }
        return remaining.milliseconds
    }

    /// Whole milliseconds, at least one: zero means that nobody waits.
    private static func milliseconds(_ duration: Duration) -> UInt64 {
        let (seconds, attoseconds) = duration.components
        guard seconds >= 0, attoseconds >= 0 else { return 1 }
        let (whole, overflow) = UInt64(seconds).multipliedReportingOverflow(by: 1000)
        return overflow ? .max >> 1 : max(1, whole + UInt64(attoseconds / 1_000_000_000_000_000))
    }
}

extension LastSaid {
    /// A context, with that of its effect which makes it, and without the payload.
    private final class Context: Sendable {
        let context: EffectContext
        private let topic: Topic
        private let module: ModuleID
        private let site: Relux.Site
        private let label: String
        private let contract: UInt64
        private let durability: Relux.Durability
        private let isDetached: Bool
        private let isUnhandled: Bool

        init(_ emission: Relux.Emission, _ context: EffectContext) {
            self.context = context
            (topic, module, site, label) = (emission.topic, emission.id.module, emission.site, emission.label)
            (contract, durability) = (emission.contract, emission.durability)
            (isDetached, isUnhandled) = (emission.isDetached, emission.recipients.isEmpty)
        }

        func isOf(_ emission: Relux.Emission) -> Bool {
            context.memberVersion == emission.memberVersion && context.awaitDepth == emission.awaitDepth && site == emission.site
                && label == emission.label && context.ancestry == emission.ancestry && topic == emission.topic && module == emission.id.module
                && contract == emission.contract && durability == emission.durability && isDetached == emission.isDetached
                && isUnhandled == emission.recipients.isEmpty
        }
    }
}
