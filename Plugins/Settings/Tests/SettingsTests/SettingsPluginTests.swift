import ErrorHandlingReluxInt
import NavigationReluxInt
import Relux
import ReluxPlugin
import SettingsModels
@testable import SettingsReluxImpl
import SettingsReluxInt
import Testing

@Suite struct SettingsPluginTests {
    @MainActor
    @Test func `the declaration says what the module does`() throws {
        let module = try Settings.Module()
        let declaration = Settings.declaration
        #expect(declaration.id == module.moduleID)
        #expect(declaration.handles == module.handles?.map { $0.wireTopic })
        #expect(declaration.emits == module.emits?.map { $0.wireTopic })
        #expect(declaration.provides == module.relays.compactMap { ($0.snapshotType as? any Relux.SharedSnapshot.Type)?.wireTopic })
        #expect(declaration.states == module.states.map { name(of: $0) })
        #expect(declaration.flows == module.sagas.filter { $0 is any Relux.Flow }.map { name(of: $0) })
    }

    @MainActor
    @Test func `the entry point hands over a box that makes the module`() async throws {
        let box = Unmanaged<PluginBox>.fromOpaque(pluginMain()).takeRetainedValue()
        #expect(box.declaration == Settings.declaration)
        #expect(try await box.make() is Settings.Module)
    }

    /// The type's path without the Swift module.
    private func name(of object: AnyObject) -> String {
        String(reflecting: type(of: object)).split(separator: ".").dropFirst().joined(separator: ".")
            .replacing("(extension in SettingsReluxImpl):", with: "")
    }
}
