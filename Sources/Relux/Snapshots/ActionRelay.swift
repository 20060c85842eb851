import Synchronization

extension Relux {
    /// The actions that views may take, as a value of closures or methods that dispatch: a view that is handed one knows no domain.
    public protocol ActionProviding: Sendable {}

    /// Carries one ``ActionProviding`` value from a module to the views of its process.
    public protocol ActionRelaying: AnyObject, Sendable {
        nonisolated var actionsType: any ActionProviding.Type { get }
    }
}

extension Relux.UI {
    /// The relay that a module lists among its `actionRelays`; views find it by the type of the actions.
    @MainActor
    public final class ActionRelay<Actions: Relux.ActionProviding>: Relux.ActionRelaying {
        public nonisolated let actions: Actions
        public nonisolated var actionsType: any Relux.ActionProviding.Type { Actions.self }

        public nonisolated init(_ actions: Actions) { self.actions = actions }
    }
}

extension Relux.Store {
    /// The relay of these actions; nil if no module of this node provides them.
    public func getActionRelay<Actions: Relux.ActionProviding>(for type: Actions.Type) -> Relux.UI.ActionRelay<Actions>? {
        contents.withLock { $0.actionRelays[ObjectIdentifier(type)]?.relay } as? Relux.UI.ActionRelay<Actions>
    }
}
