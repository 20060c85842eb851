import Synchronization

extension Relux {
    /// Whether a module's handlers have all been short of late: a thread that waits for one may run it without missing much else.
    ///
    /// It takes some to show it; one that is slow is enough to show that they are not. Noted by one thread at a time, asked by any.
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
