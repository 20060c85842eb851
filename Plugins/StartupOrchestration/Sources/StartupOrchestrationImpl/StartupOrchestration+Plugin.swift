internal import ErrorHandlingReluxInt
internal import NavigationReluxInt
internal import Relux
internal import ReluxOrchestration
internal import ReluxPlugin

extension StartupOrchestration {
    /// What the broker learns of the module before it is made; a test compares it with the module.
    static let declaration = ModuleDeclaration(
        id: "StartupOrchestration",
        version: "1.0.0",
        kind: .orchestrator,
        handles: [
            StartupOrchestration.Effect.wireTopic,
            Orchestration.Business.Answer.wireTopic,
            Cluster.Business.Effect.wireTopic,
        ],
        emits: [
            Orchestration.Business.Request.wireTopic,
            Orchestration.Business.Progress.wireTopic,
            Navigation.Business.Effect.wireTopic,
            ErrorHandling.Business.Effect.wireTopic,
        ],
        provides: [OrchestratorProgress<Name>.wireTopic],
        durabilities: [Orchestration.Business.Request.wireTopic: .transient],
        // Whoever mends the start, and whoever an action of it waits for, gets through.
        startBarrier: [StartupOrchestration.Effect.wireTopic, Orchestration.Business.Request.wireTopic]
    )
}

@c(relux_plugin_main)
public func pluginMain() -> UnsafeMutableRawPointer {
    exportPlugin(StartupOrchestration.declaration) { StartupOrchestration.Module() }
}
