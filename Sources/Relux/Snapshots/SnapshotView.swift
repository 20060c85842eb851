extension Relux.UI {
    /// One snapshot type as a user interface sees it: the latest value, and whether its owner is still there.
    ///
    /// The same for a relay of the node's own and for one that the bus feeds, so that what is shown does not know where the owner runs.
    /// The values that it reads are observable, as the relays are.
    @MainActor
    public struct SnapshotView<Snapshot: Relux.SharedSnapshot> {
        private let own: StateRelay<Snapshot>?
        private let remote: RemoteRelay<Snapshot>?

        init(own: StateRelay<Snapshot>) { (self.own, remote) = (own, nil) }
        init(remote: RemoteRelay<Snapshot>) { (own, self.remote) = (nil, remote) }

        /// The latest snapshot; nil until the owner has spoken.
        public var latest: Snapshot? { own?.value ?? remote?.latest }
        /// True when the owner is gone or has not spoken yet.
        public var isStale: Bool { own?.isStale ?? remote?.isStale ?? true }

        /// Calls back with the current value as soon as there is one and then with every change, in order.
        public func observe(_ listener: @escaping @MainActor @Sendable (Snapshot) -> Void) {
            own?.observe(listener)
            remote?.observe(listener)
        }
    }
}
