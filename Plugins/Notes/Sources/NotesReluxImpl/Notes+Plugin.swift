internal import ErrorHandlingModels
internal import ErrorHandlingReluxInt
internal import NavigationModels
internal import NavigationReluxInt
internal import NotesModels
internal import NotesReluxInt
internal import Relux
internal import ReluxOrchestration
internal import ReluxPlugin

extension Notes {
    /// What the broker learns of the module before it is made; a test compares it with the module.
    static let declaration = ModuleDeclaration(
        id: "Notes",
        version: "1.0.0",
        kind: .domain,
        handles: [Notes.Business.Effect.wireTopic, Orchestration.Business.Request.wireTopic],
        emits: [
            Notes.Business.Effect.wireTopic,
            Navigation.Business.Effect.wireTopic,
            ErrorHandling.Business.Effect.wireTopic,
            Orchestration.Business.Answer.wireTopic,
        ],
        provides: [Notes.Business.Snapshot.wireTopic],
        states: ["Notes.Business.State", "Notes.Business.Revisions", "Notes.UI.State"],
        flows: ["Notes.Business.Flow", "ActionContributor"],
        durabilities: [Orchestration.Business.Request.wireTopic: .transient]
    )
}

@c(relux_plugin_main)
public func pluginMain() -> UnsafeMutableRawPointer {
    exportPlugin(Notes.declaration) { try Notes.Module() }
}
