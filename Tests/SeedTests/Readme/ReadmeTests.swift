import Observation
import Relux
import ReluxTestKit
import Testing

@MainActor
@Suite(.timeLimit(.minutes(1))) struct ReadmeTests {
    @Test func `the relay sample shows the current value and every change, through Observation`() async throws {
        let relux = await Relux().register {
            OrientationModule(state: OrientationState(), saga: OrientationSaga())
        }
        let relay = try #require(relux.store.getRelay(for: OrientationSnapshot.self))
        #expect(relay.value == OrientationSnapshot(orientation: .portrait, isMonitoring: false))

        let changed = Signal("the relay's change")
        withObservationTracking {
            _ = relay.value
        } onChange: {
            changed.fire()
        }
        let landscape = Watched(false)
        relay.observe { if $0.orientation == .landscape { landscape.update { $0 = true } } }
        await relux.dispatcher.actions { OrientationEffect.startMonitoring }
        try await changed.wait()
        try await landscape.wait(for: "the last snapshot") { $0 }
        #expect(relay.value == OrientationSnapshot(orientation: .landscape, isMonitoring: true))
    }
}
