import ReluxWire

/// Holds what a tap hears for a moment, because each host is heard by itself: a cause may come behind its effect.
///
/// Events leave by the time at which they were said, an effect behind its causes and a settlement behind its effect, however the clock was set
/// meanwhile. What comes later than the moment comes out of order. Pure: the caller says what time it is.
package struct CausalHold: Sendable {
    /// How long an event waits for its causes.
    package static let moment: Duration = .milliseconds(50)

    fileprivate struct Held {
        let event: TapEvent
        /// When it was said, as far as that is known.
        let time: UInt64
        let due: ContinuousClock.Instant
    }

    private var held: [Held] = []

    package init() {}

    /// When the first of what is held is due.
    package var due: ContinuousClock.Instant? { held.first?.due }

    /// - Parameter milliseconds: the wall time, for settlements: they carry none.
    package mutating func add(_ events: [TapEvent], at now: ContinuousClock.Instant, wallMilliseconds milliseconds: UInt64) {
        held += events.map { event in
            switch event {
            case .effect(let effect): Held(event: event, time: effect.record.wallTimeMilliseconds, due: now + Self.moment)
            case .refusal(let refusal): Held(event: event, time: refusal.record.wallTimeMilliseconds, due: now + Self.moment)
            case .settlement: Held(event: event, time: milliseconds, due: now + Self.moment)
            }
        }
    }

    /// The events that have waited long enough, and with them all that were said before.
    package mutating func release(at now: ContinuousClock.Instant) -> [TapEvent] {
        guard let last = held.prefix(while: { $0.due <= now }).map(\.time).max() else { return [] }
        return release { $0.due <= now || $0.time < last }
    }

    /// All that is left.
    package mutating func releaseAll() -> [TapEvent] { release { _ in true } }

    private mutating func release(_ isDue: (Held) -> Bool) -> [TapEvent] {
        let index = Dictionary(
            held.indices.compactMap { place in held[place].effect.map { ($0.id, place) } }, uniquingKeysWith: { first, _ in first })
        var isReleased = [Bool](repeating: false, count: held.count)
        var released: [TapEvent] = []
        func release(_ place: Int) {
            guard !isReleased[place] else { return }
            isReleased[place] = true
            for cause in held[place].causes { if let place = index[cause] { release(place) } }
            released.append(held[place].event)
        }
        let order = held.indices.filter { isDue(held[$0]) }.sorted { (held[$0].time, $0) < (held[$1].time, $1) }
        for place in order { release(place) }
        held = held.indices.filter { !isReleased[$0] }.map { held[$0] }
        return released
    }
}

extension CausalHold.Held {
    var effect: TappedEffect? { if case .effect(let effect) = event { effect } else { nil } }

    /// The effects that have to come before it, the first cause first.
    var causes: [EffectID] {
        switch event {
        case .effect(let effect): effect.record.ancestry
        case .refusal(let refusal): refusal.record.ancestry
        case .settlement(let settlement): [settlement.effect]
        }
    }
}
