import Synchronization

extension Relux {
    /// Whether all of a module's recent handlers were short: a thread that waits for one may run it without missing much else.
    ///
    /// Several short handlers prove it, a single long one disproves it. One thread at a time notes, any thread asks.
    final class Quickness: Sendable {
        private let score = Atomic(0)
        private static let threshold = 16
        private static let quickLimit = Duration.microseconds(100)
        private static let slowLimit = Duration.milliseconds(1)

        var isQuick: Bool { score.load(ordering: .relaxed) >= Self.threshold }

        /// A handler has taken so long, what it has waited for included.
        func note(_ duration: Duration) {
            let known = score.load(ordering: .relaxed)
            let new = duration < Self.quickLimit ? min(2 * Self.threshold, known + 1) : duration < Self.slowLimit ? max(0, known - 4) : 0
            if new != known { score.store(new, ordering: .relaxed) }
        }
    }
}
