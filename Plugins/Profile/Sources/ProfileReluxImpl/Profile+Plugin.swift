internal import ErrorHandlingModels
internal import ErrorHandlingReluxInt
internal import NavigationModels
internal import NavigationReluxInt
internal import ProfileModels
internal import ProfileReluxInt
internal import Relux
internal import ReluxOrchestration
internal import ReluxPlugin

extension Profile {
    /// What the broker learns of the module before it is made; a test compares it with the module.
    static let declaration = ModuleDeclaration(
        id: "Profile",
        version: "1.0.0",
        kind: .domain,
        handles: [Profile.Business.Effect.wireTopic, Orchestration.Business.Request.wireTopic],
        emits: [
            Profile.Business.Effect.wireTopic,
            Navigation.Business.Effect.wireTopic,
            ErrorHandling.Business.Effect.wireTopic,
            Orchestration.Business.Answer.wireTopic,
        ],
        provides: [Profile.Business.Snapshot.wireTopic],
        states: ["Profile.Business.State", "Profile.Business.Revisions"],
        flows: ["Profile.Business.Flow", "ActionContributor"],
        durabilities: [Orchestration.Business.Request.wireTopic: .transient]
    )
}

@c(relux_plugin_main)
public func pluginMain() -> UnsafeMutableRawPointer {
    exportPlugin(Profile.declaration) { try Profile.Module() }
}
