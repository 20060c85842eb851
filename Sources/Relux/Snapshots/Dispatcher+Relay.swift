extension Relux.Dispatcher {
    /// The relay of that snapshot type in the module's node: its own, or one of another module's that its plugin observes.
    ///
    /// nil outside a node, when nothing of the node relays the type, and until an owner elsewhere has spoken.
    @MainActor
    public func getRelay<Snapshot: Relux.StateSnapshot>(for type: Snapshot.Type) -> Relux.UI.StateRelay<Snapshot>? {
        scope?.node.store.getRelay(for: type)
    }

    /// The view of the snapshots of that type in the module's node, whoever owns them and whether the owner has spoken or not; nil outside a
    /// node, and when neither the node nor its plugin's `observes` has the type.
    @MainActor
    public func view<Snapshot: Relux.SharedSnapshot>(of type: Snapshot.Type) -> Relux.UI.SnapshotView<Snapshot>? {
        guard let store = scope?.node.store else { return nil }
        if let remote = store.getRemoteRelay(for: type) { return .init(remote: remote) }
        return store.getRelay(for: type).map { .init(own: $0) }
    }
}
