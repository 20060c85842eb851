extension Relux.Dispatcher {
    /// The relay of that snapshot type in the module's node: its own, or one of another module's that its plugin observes.
    ///
    /// nil outside a node, when nothing of the node relays the type, and until an owner elsewhere has spoken.
    @MainActor
    public func getRelay<Snapshot: Relux.StateSnapshot>(for type: Snapshot.Type) -> Relux.UI.StateRelay<Snapshot>? {
        scope?.node.store.getRelay(for: type)
    }
}
