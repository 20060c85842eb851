internal import NavigationModels
internal import NavigationReluxInt
internal import Relux
internal import ReluxPlugin

extension Navigation {
    /// What the broker learns of the module before it is made; a test compares it with the module.
    static let declaration = ModuleDeclaration(
        id: "Navigation",
        version: "1.0.0",
        kind: .infrastructure,
        handles: [Navigation.Business.Effect.wireTopic],
        emits: [Navigation.Business.Effect.wireTopic],
        provides: [Navigation.Business.Snapshot.wireTopic],
        states: ["Navigation.Business.State"],
        flows: ["Navigation.Business.Flow"]
    )
}

@c(relux_plugin_main)
public func pluginMain() -> UnsafeMutableRawPointer {
    exportPlugin(Navigation.declaration) { Navigation.Module() }
}
