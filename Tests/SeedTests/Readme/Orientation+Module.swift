// Seed 1, "Module Integration", as printed.
import Relux

public struct OrientationModule: Relux.Module {
    public let states: [any Relux.AnyState]
    public let sagas: [any Relux.Saga]
    public let relays: [any Relux.StateRelaying]

    @MainActor
    public init(state: OrientationState, saga: OrientationSaga) {
        self.states = [state]
        self.sagas = [saga]
        self.relays = [OrientationRelay(state)]
    }
}
