import Relux
import ReluxPlugin
@testable import StartupOrchestrationImpl
import Testing

@Suite struct StartupOrchestrationPluginTests {
    @MainActor
    @Test func `the declaration says what the module does`() {
        let module = StartupOrchestration.Module()
        let declaration = StartupOrchestration.declaration
        #expect(declaration.id == module.moduleID)
        #expect(declaration.kind == .orchestrator)
        #expect(declaration.handles == module.handles?.map { $0.wireTopic })
        #expect(declaration.emits == module.emits?.map { $0.wireTopic })
        let all = (module.handles ?? []) + (module.emits ?? [])
        #expect(all.allSatisfy { declaration.durability(of: $0.wireTopic) == $0.wireDurability })
        #expect(declaration.states.isEmpty && declaration.flows.isEmpty)
        #expect(declaration.provides == module.relays.compactMap { ($0.snapshotType as? any Relux.SharedSnapshot.Type)?.wireTopic })
        #expect((declaration.startBarrier == nil) == (module.startBarrier == nil))
        #expect(module.sagas.allSatisfy { !($0 is any Relux.Flow) })
    }

    @MainActor
    @Test func `the entry point hands over a box that makes the module`() async throws {
        let box = Unmanaged<PluginBox>.fromOpaque(pluginMain()).takeRetainedValue()
        #expect(box.declaration == StartupOrchestration.declaration)
        #expect(try await box.make() is StartupOrchestration.Module)
    }
}
