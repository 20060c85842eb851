internal import AuthReluxInt
internal import CartReluxInt
internal import CheckoutReluxInt
internal import PaymentReluxInt
internal import Relux
internal import ReluxPlugin

extension CommerceOrchestration {
    static var handled: [any Relux.Effect.Type] { emitted + [Cluster.Business.Effect.self] }
    static var emitted: [any Relux.Effect.Type] {
        [Auth.Business.Effect.self, Cart.Business.Effect.self, Checkout.Business.Effect.self, Payment.Business.Effect.self]
    }
    static var observed: [any Relux.SharedSnapshot.Type] { [Payment.Business.Snapshot.self] }
}

@c(relux_plugin_main)
public func pluginMain() -> UnsafeMutableRawPointer {
    exportModule(
        "CommerceOrchestration", version: "1.0.0", kind: .orchestrator, handles: CommerceOrchestration.handled,
        emits: CommerceOrchestration.emitted, observes: CommerceOrchestration.observed
    ) { try CommerceOrchestration.Module() }
}
