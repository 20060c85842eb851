internal import ErrorHandlingModels
internal import ErrorHandlingReluxInt
internal import FilesModels
internal import FilesReluxInt
internal import Relux
internal import ReluxPlugin

extension Files {
    /// What the broker learns of the module before it is made; a test compares it with the module.
    static let declaration = ModuleDeclaration(
        id: "Files",
        version: "1.0.0",
        kind: .domain,
        handles: [Files.Business.Effect.wireTopic],
        emits: [
            Files.Business.Effect.wireTopic,
            ErrorHandling.Business.Effect.wireTopic,
        ],
        provides: [Files.Business.Snapshot.wireTopic],
        states: ["Files.Business.State"],
        flows: ["Files.Business.Flow"]
    )
}

@c(relux_plugin_main)
public func pluginMain() -> UnsafeMutableRawPointer {
    exportPlugin(Files.declaration) { try Files.Module() }
}
