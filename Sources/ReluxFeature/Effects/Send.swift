public import Relux

/// The way of an effect's work back into its store.
public struct Send<Action: Sendable>: Sendable {
    /// The time that the store lives by: an effect that waits sleeps on it, so that a test can turn it.
    public let clock: Relux.NodeClock
    /// When the effect began, on the clock: an effect that waits from there on counts the time until its task begins.
    let begun: Duration
    private let receive: @MainActor @Sendable (Action) -> Void

    /// The way back of the work that a test calls by itself.
    public init(clock: Relux.NodeClock = .continuous, _ receive: @escaping @MainActor @Sendable (Action) -> Void) {
        self.init(clock: clock, begun: clock.now(), receive)
    }

    private init(clock: Relux.NodeClock, begun: Duration, _ receive: @escaping @MainActor @Sendable (Action) -> Void) {
        self.clock = clock
        self.begun = begun
        self.receive = receive
    }

    /// Returns when the store has handled the action. After the effect's end it is reported and not sent; after its cancellation, nothing.
    @MainActor
    public func callAsFunction(_ action: Action) { receive(action) }

    func pullback<Child: Sendable>(_ transform: @escaping @Sendable (Child) -> Action) -> Send<Child> {
        Send<Child>(clock: clock, begun: begun) { [receive] in receive(transform($0)) }
    }
}
