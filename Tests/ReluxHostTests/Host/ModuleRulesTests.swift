import BusProbeKit
import Relux
@testable import ReluxHost
import ReluxPlugin
import Testing

@Suite struct ModuleRulesTests {
    private struct Plain: Relux.Plugin {
        static let moduleID: ModuleID = "Plain"
        static var handles: [any Relux.Effect.Type]? { [Domain.shop.type] }
        let states: [any Relux.AnyState] = []
        let sagas: [any Relux.Saga] = []
    }
    /// Written as before types said it.
    private struct Overridden: Relux.Plugin {
        static let moduleID: ModuleID = "Overridden"
        let handles: [any Relux.Effect.Type]? = [Domain.shop.type]
        let states: [any Relux.AnyState] = []
        let sagas: [any Relux.Saga] = []
    }
    private struct Unnamed: Relux.Plugin {
        static let moduleID: ModuleID = "Unnamed"
        static var provides: [any Relux.SharedSnapshot.Type] { [Shown.self] }
        let states: [any Relux.AnyState] = []
        let sagas: [any Relux.Saga] = []
    }

    private struct Keeping: Relux.Plugin {
        static let kind = Relux.ModuleKind.orchestrator
        let states: [any Relux.AnyState] = [Kept()]
        let sagas: [any Relux.Saga] = []

        actor Kept: Relux.BusinessState {
            func reduce(with action: any Relux.Action) async {}
            func cleanup() async {}
        }
    }
    private struct Showing: Relux.Plugin {
        static let kind = Relux.ModuleKind.userInterface
        let states: [any Relux.AnyState] = [Keeping.Kept()]
        let sagas: [any Relux.Saga] = []
    }
    private struct Answering: Relux.Plugin {
        static let kind = Relux.ModuleKind.orchestrator
        let states: [any Relux.AnyState] = []
        let sagas: [any Relux.Saga] = [Answer()]

        actor Answer: Relux.Flow {
            func apply(_ effect: any Relux.Effect) async -> Relux.ActionResult { .success }
        }
    }

    private struct Shown: Relux.SharedSnapshot {
        var count: Int
    }

    private func violation(_ box: PluginBox) async throws -> (code: String, message: String)? {
        ModuleRules.violation(of: try await box.make(), box.declaration)
    }

    @Test func `an instance that does what its type says is taken`() async throws {
        #expect(try await violation(PluginBox(Plain.self)) == nil)
        #expect(try await violation(PluginBox(Showing.self)) == nil, "a user interface may have states of its own")
    }

    @Test func `an instance that handles other effects than its type says is refused`() async throws {
        let broken = try #require(try await violation(PluginBox(Overridden.self)))
        #expect(broken.code == "host.declaration")
        #expect(broken.message.hasPrefix("the type of Overridden says handles: none; its instance has "))
    }

    @Test func `an orchestrator with a state or a flow is refused by its rule`() async throws {
        let (state, flow) = (try await violation(PluginBox(Keeping.self)), try await violation(PluginBox(Answering.self)))
        #expect(state?.code == "orchestrator.state" && state?.message.contains("Keeping.Kept") == true)
        #expect(flow?.code == "orchestrator.result" && flow?.message.contains("Answering.Answer") == true)
    }

    @Test func `a type that provides what no relay shares is refused`() async throws {
        #expect(try await violation(PluginBox(Unnamed.self))?.message.contains("says provides: ") == true)
    }
}
