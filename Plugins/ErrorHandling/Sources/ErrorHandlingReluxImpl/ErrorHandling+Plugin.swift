internal import ErrorHandlingModels
internal import ErrorHandlingReluxInt
internal import Relux
internal import ReluxPlugin

extension ErrorHandling {
    /// What the broker learns of the module before it is made; a test compares it with the module.
    static let declaration = ModuleDeclaration(
        id: "ErrorHandling",
        version: "1.0.0",
        kind: .infrastructure,
        handles: [ErrorHandling.Business.Effect.wireTopic],
        emits: [],
        provides: [ErrorHandling.Business.Snapshot.wireTopic],
        states: ["ErrorHandling.Business.State"],
        flows: ["ErrorHandling.Business.Saga"]
    )
}

@c(relux_plugin_main)
public func pluginMain() -> UnsafeMutableRawPointer {
    exportPlugin(ErrorHandling.declaration) { ErrorHandling.Module() }
}
