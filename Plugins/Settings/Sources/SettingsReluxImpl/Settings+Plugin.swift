internal import ErrorHandlingModels
internal import ErrorHandlingReluxInt
internal import NavigationModels
internal import NavigationReluxInt
internal import Relux
internal import ReluxOrchestration
internal import ReluxPlugin
internal import SettingsModels
internal import SettingsReluxInt

extension Settings {
    /// What the broker learns of the module before it is made; a test compares it with the module.
    static let declaration = ModuleDeclaration(
        id: "Settings",
        version: "1.0.0",
        kind: .domain,
        handles: [Settings.Business.Effect.wireTopic, Orchestration.Business.Request.wireTopic],
        emits: [
            Settings.Business.Effect.wireTopic,
            Navigation.Business.Effect.wireTopic,
            ErrorHandling.Business.Effect.wireTopic,
            Orchestration.Business.Answer.wireTopic,
        ],
        provides: [Settings.Business.Snapshot.wireTopic],
        states: ["Settings.Business.State"],
        flows: ["Settings.Business.Flow", "ActionContributor"],
        durabilities: [Orchestration.Business.Request.wireTopic: .transient]
    )
}

@c(relux_plugin_main)
public func pluginMain() -> UnsafeMutableRawPointer {
    exportPlugin(Settings.declaration) { try Settings.Module() }
}
