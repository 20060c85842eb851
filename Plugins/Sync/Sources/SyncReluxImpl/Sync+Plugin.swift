internal import SyncModels
internal import SyncReluxInt
internal import Relux
internal import ReluxPlugin

extension Sync {
    /// What the broker learns of the module before it is made; a test compares it with the module.
    static let declaration = ModuleDeclaration(
        id: "Sync",
        version: "1.0.0",
        kind: .domain,
        handles: [Sync.Business.Effect.wireTopic],
        emits: [Sync.Business.Effect.wireTopic],
        provides: [Sync.Business.Snapshot.wireTopic],
        states: ["Sync.Business.State"],
        flows: ["Sync.Business.Flow"]
    )
}

@c(relux_plugin_main)
public func pluginMain() -> UnsafeMutableRawPointer {
    exportPlugin(Sync.declaration) { try Sync.Module() }
}
