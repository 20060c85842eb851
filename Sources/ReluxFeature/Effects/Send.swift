/// The way of an effect's work back into its store.
public struct Send<Action: Sendable>: Sendable {
    private let receive: @MainActor @Sendable (Action) -> Void

    init(_ receive: @escaping @MainActor @Sendable (Action) -> Void) { self.receive = receive }

    /// Returns when the store has handled the action. After the effect's end it is reported and not sent; after its cancellation, nothing.
    @MainActor
    public func callAsFunction(_ action: Action) { receive(action) }

    func pullback<Child: Sendable>(_ transform: @escaping @Sendable (Child) -> Action) -> Send<Child> {
        Send<Child> { receive(transform($0)) }
    }
}
