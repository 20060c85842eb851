internal import ErrorHandlingModels
internal import ErrorHandlingReluxInt
internal import LibraryModels
internal import LibraryReluxInt
internal import NavigationModels
internal import NavigationReluxInt
internal import Relux
internal import ReluxOrchestration
internal import ReluxPlugin

extension Library {
    /// What the broker learns of the module before it is made; a test compares it with the module.
    static let declaration = ModuleDeclaration(
        id: "Library",
        version: "1.0.0",
        kind: .domain,
        handling: .serial,
        handles: [Library.Business.Effect.wireTopic, Orchestration.Business.Request.wireTopic],
        emits: [
            Library.Business.Effect.wireTopic,
            Navigation.Business.Effect.wireTopic,
            ErrorHandling.Business.Effect.wireTopic,
            Orchestration.Business.Answer.wireTopic,
        ],
        provides: [Library.Business.Snapshot.wireTopic],
        states: ["Library.Business.State"],
        flows: ["Library.Business.Flow", "ActionContributor"],
        durabilities: [Orchestration.Business.Request.wireTopic: .transient]
    )
}

@c(relux_plugin_main)
public func pluginMain() -> UnsafeMutableRawPointer {
    exportPlugin(Library.declaration) { try Library.Module() }
}
