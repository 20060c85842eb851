extension Relux {
    /// A module's totals since it was set up.
    package struct ExchangeCounters: Sendable, Hashable {
        package var emitted: UInt64
        package var handled: UInt64
        package var failed: UInt64
        package var lost: UInt64
        package var unhandled: UInt64
        /// Effects that interrupted handlers had said and their re-runs have not.
        package var diverged: UInt64
        /// Queued for the module or running in it now.
        package var inFlight: UInt64
    }
}
