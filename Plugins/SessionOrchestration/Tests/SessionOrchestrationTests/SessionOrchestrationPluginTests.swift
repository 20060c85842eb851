import AuthReluxInt
import LibraryReluxInt
import ProfileReluxInt
import Relux
import ReluxPlugin
@testable import SessionOrchestrationImpl
import SettingsReluxInt
import Testing

@Suite struct SessionOrchestrationPluginTests {
    @Test func `the declaration says what the module does`() {
        let module = SessionOrchestration.Module()
        let declaration = SessionOrchestration.declaration
        #expect(declaration.id == module.moduleID)
        #expect(declaration.kind == .orchestrator)
        #expect(declaration.handles == module.handles?.map { $0.wireTopic })
        #expect(declaration.emits == module.emits?.map { $0.wireTopic })
        #expect(declaration.states.isEmpty && declaration.flows.isEmpty && declaration.provides.isEmpty)
    }

    @MainActor
    @Test func `the entry point hands over a box that makes the module`() async throws {
        let box = Unmanaged<PluginBox>.fromOpaque(pluginMain()).takeRetainedValue()
        #expect(box.declaration == SessionOrchestration.declaration)
        #expect(try await box.make() is SessionOrchestration.Module)
    }
}
