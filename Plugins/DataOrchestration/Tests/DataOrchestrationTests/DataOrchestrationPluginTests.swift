import AuthReluxInt
@testable import DataOrchestrationImpl
import FilesReluxInt
import NotesReluxInt
import Relux
import ReluxPlugin
import SyncReluxInt
import Testing

@Suite struct DataOrchestrationPluginTests {
    @Test func `the declaration says what the module does`() {
        let module = DataOrchestration.Module()
        let declaration = DataOrchestration.declaration
        #expect(declaration.id == module.moduleID)
        #expect(declaration.kind == .orchestrator)
        #expect(declaration.handles == module.handles?.map { $0.wireTopic })
        #expect(declaration.emits == module.emits?.map { $0.wireTopic })
        #expect(declaration.states.isEmpty && declaration.flows.isEmpty && declaration.provides.isEmpty)
    }

    @MainActor
    @Test func `the entry point hands over a box that makes the module`() async throws {
        let box = Unmanaged<PluginBox>.fromOpaque(pluginMain()).takeRetainedValue()
        #expect(box.declaration == DataOrchestration.declaration)
        #expect(try await box.make() is DataOrchestration.Module)
    }
}
