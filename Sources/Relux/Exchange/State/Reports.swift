import Synchronization

extension Relux {
    /// How many handlers of a party have returned and are not known to the uplink as settled yet.
    ///
    /// A handler is over under the exchange's lock, and its settlement is told without it: in between the party is idle, and whoever takes it
    /// to another process then would leave that settlement behind.
    final class Reports: Sendable {
        private let open = Atomic(0)

        /// Under the exchange's lock.
        func begin() { open.add(1, ordering: .relaxed) }
        func end() { open.subtract(1, ordering: .releasing) }

        /// Returns when none is open; no handler of the party runs any more.
        func wait() async { while open.load(ordering: .acquiring) > 0 { await Task.yield() } }
    }
}
