internal import CheckoutModels
internal import CheckoutReluxInt
internal import NavigationModels
internal import NavigationReluxInt
internal import Relux
internal import ReluxPlugin

extension Checkout {
    /// What the broker learns of the module before it is made; a test compares it with the module.
    static let declaration = ModuleDeclaration(
        id: "Checkout",
        version: "1.0.0",
        kind: .domain,
        handles: [Checkout.Business.Effect.wireTopic],
        emits: [
            Checkout.Business.Effect.wireTopic,
            Navigation.Business.Effect.wireTopic,
        ],
        provides: [Checkout.Business.Snapshot.wireTopic],
        states: ["Checkout.Business.State"],
        flows: ["Checkout.Business.Flow"]
    )
}

@c(relux_plugin_main)
public func pluginMain() -> UnsafeMutableRawPointer {
    exportPlugin(Checkout.declaration) { try Checkout.Module() }
}
