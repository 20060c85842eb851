internal import CartModels
internal import CartReluxInt
internal import Relux
internal import ReluxPlugin

extension Cart {
    /// What the broker learns of the module before it is made; a test compares it with the module.
    static let declaration = ModuleDeclaration(
        id: "Cart",
        version: "1.0.0",
        kind: .domain,
        handles: [Cart.Business.Effect.wireTopic],
        emits: [Cart.Business.Effect.wireTopic],
        provides: [Cart.Business.Snapshot.wireTopic],
        states: ["Cart.Business.State"],
        flows: ["Cart.Business.Flow"]
    )
}

@c(relux_plugin_main)
public func pluginMain() -> UnsafeMutableRawPointer {
    exportPlugin(Cart.declaration) { try Cart.Module() }
}
