import ErrorHandlingReluxInt
import NavigationReluxInt
import ProfileModels
@testable import ProfileReluxImpl
import ProfileReluxInt
import Relux
import ReluxPlugin
import Testing

@Suite struct ProfilePluginTests {
    @MainActor
    @Test func `the declaration says what the module does`() throws {
        let module = try Profile.Module()
        let declaration = Profile.declaration
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
        #expect(box.declaration == Profile.declaration)
        #expect(try await box.make() is Profile.Module)
    }

    /// The type's path without the Swift module.
    private func name(of object: AnyObject) -> String {
        String(reflecting: type(of: object)).split(separator: ".").dropFirst().joined(separator: ".")
            .replacing("(extension in ProfileReluxImpl):", with: "")
    }
}
