internal import AuthReluxInt
internal import FilesReluxInt
internal import NotesReluxInt
internal import Relux
internal import ReluxPlugin
internal import SyncReluxInt

extension DataOrchestration {
    /// What the broker learns of the module before it is made; a test compares it with the module.
    static let declaration = ModuleDeclaration(
        id: "DataOrchestration",
        version: "1.0.0",
        kind: .orchestrator,
        handles: [
            Auth.Business.Effect.wireTopic,
            Notes.Business.Effect.wireTopic,
            Files.Business.Effect.wireTopic,
            Sync.Business.Effect.wireTopic,
        ],
        emits: [
            Auth.Business.Effect.wireTopic,
            Notes.Business.Effect.wireTopic,
            Files.Business.Effect.wireTopic,
            Sync.Business.Effect.wireTopic,
        ]
    )
}

@c(relux_plugin_main)
public func pluginMain() -> UnsafeMutableRawPointer {
    exportPlugin(DataOrchestration.declaration) { DataOrchestration.Module() }
}
