internal import AuthReluxInt
internal import LibraryReluxInt
internal import ProfileReluxInt
internal import Relux
internal import ReluxPlugin
internal import SettingsReluxInt

extension SessionOrchestration {
    /// What the broker learns of the module before it is made; a test compares it with the module.
    static let declaration = ModuleDeclaration(
        id: "SessionOrchestration",
        version: "1.0.0",
        kind: .orchestrator,
        handles: [
            Auth.Business.Effect.wireTopic,
            Profile.Business.Effect.wireTopic,
            Settings.Business.Effect.wireTopic,
            Library.Business.Effect.wireTopic,
            SessionOrchestration.Effect.wireTopic,
        ],
        emits: [
            Auth.Business.Effect.wireTopic,
            Profile.Business.Effect.wireTopic,
            Settings.Business.Effect.wireTopic,
            Library.Business.Effect.wireTopic,
        ]
    )
}

@c(relux_plugin_main)
public func pluginMain() -> UnsafeMutableRawPointer {
    exportPlugin(SessionOrchestration.declaration) { SessionOrchestration.Module() }
}
