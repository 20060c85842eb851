internal import AuthModels
internal import AuthReluxInt
internal import ErrorHandlingModels
internal import ErrorHandlingReluxInt
internal import NavigationModels
internal import NavigationReluxInt
internal import Relux
internal import ReluxOrchestration
internal import ReluxPlugin

extension Auth {
    /// What the broker learns of the module before it is made; a test compares it with the module.
    static let declaration = ModuleDeclaration(
        id: "Auth",
        version: "1.0.0",
        kind: .domain,
        handles: [Auth.Business.Effect.wireTopic, Orchestration.Business.Request.wireTopic],
        emits: [
            Auth.Business.Effect.wireTopic,
            Navigation.Business.Effect.wireTopic,
            ErrorHandling.Business.Effect.wireTopic,
            Orchestration.Business.Answer.wireTopic,
        ],
        provides: [Auth.Business.Snapshot.wireTopic],
        states: ["Auth.Business.State"],
        flows: ["Auth.Business.Flow", "ActionContributor"],
        durabilities: [Orchestration.Business.Request.wireTopic: .transient]
    )
}

@c(relux_plugin_main)
public func pluginMain() -> UnsafeMutableRawPointer {
    exportPlugin(Auth.declaration) { try Auth.Module() }
}
