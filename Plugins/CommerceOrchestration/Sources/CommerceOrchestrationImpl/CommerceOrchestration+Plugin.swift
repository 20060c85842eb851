internal import AuthReluxInt
internal import CartReluxInt
internal import CheckoutReluxInt
internal import PaymentReluxInt
internal import Relux
internal import ReluxPlugin

extension CommerceOrchestration {
    /// What the broker learns of the module before it is made; a test compares it with the module.
    static let declaration = ModuleDeclaration(
        id: "CommerceOrchestration",
        version: "1.0.0",
        kind: .orchestrator,
        handles: [
            Auth.Business.Effect.wireTopic,
            Cart.Business.Effect.wireTopic,
            Checkout.Business.Effect.wireTopic,
            Payment.Business.Effect.wireTopic,
        ],
        emits: [
            Auth.Business.Effect.wireTopic,
            Cart.Business.Effect.wireTopic,
            Checkout.Business.Effect.wireTopic,
            Payment.Business.Effect.wireTopic,
        ]
    )
}

@c(relux_plugin_main)
public func pluginMain() -> UnsafeMutableRawPointer {
    exportPlugin(CommerceOrchestration.declaration) { CommerceOrchestration.Module() }
}
