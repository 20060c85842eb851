import Foundation
import Relux
import ReluxPlugin
import ReluxWire
import Testing

@Suite struct DurabilityTests {
    private enum Quick: Relux.Effect {
        case tick
        static var wireDurability: Relux.Durability { .transient }
    }
    private enum Safe: Relux.Effect {
        case pay
        static var wireDurability: Relux.Durability { .machine }
    }
    private enum Plain: Relux.Effect { case go }

    @Test func `a declaration takes from the types what is not process`() {
        struct Demo: Relux.Plugin {
            static var handles: [any Relux.Effect.Type]? { [Quick.self, Plain.self] }
            static var emits: [any Relux.Effect.Type]? { [Safe.self, Quick.self] }
            let states: [any Relux.AnyState] = []
            let sagas: [any Relux.Saga] = []
        }
        let box = PluginBox(Demo.self)
        #expect(box.declaration.durabilities == [Quick.wireTopic: .transient, Safe.wireTopic: .machine])
        #expect(box.declaration.durability(of: Plain.wireTopic) == .process)
    }

    @Test func `a declaration without them has the same JSON as ever, and comes back with them`() throws {
        let plain = ModuleDeclaration(id: "Demo", version: "1.0.0", kind: .domain, handles: ["A"], emits: [])
        let text = String(decoding: try JSONEncoder().encode(plain), as: UTF8.self)
        #expect(!text.contains("durabilities"))
        var durable = plain
        durable.durabilities = ["A": .machine]
        for declaration in [plain, durable] {
            #expect(try JSONDecoder().decode(ModuleDeclaration.self, from: try JSONEncoder().encode(declaration)) == declaration)
            #expect(try CBOR.decode(ModuleDeclaration.self, from: try CBOR.encode(declaration)) == declaration)
        }
    }

    @Test func `a contract says it beside its fields, and its fingerprint stays`() throws {
        let contract = Contract(topics: [TopicContract(topic: "A", cases: [CaseContract(name: "go")])])
        let stated = contract.stating(["A": .transient, "B": .machine])
        #expect(stated.topics.map(\.durability) == [.transient])
        #expect(stated.topics[0].fingerprint == contract.topics[0].fingerprint && stated != contract)
        #expect(try JSONDecoder().decode(Contract.self, from: try JSONEncoder().encode(stated)) == stated)
        #expect(!String(decoding: try JSONEncoder().encode(contract), as: UTF8.self).contains("durability"))
    }

    @Test func `an upgrade names each topic whose durability changes, and who has to come first`() {
        let old = ModuleDeclaration(
            id: "Demo", version: "1.0.0", kind: .domain, handles: ["A", "B", "C"], emits: ["Gone"], durabilities: ["B": .machine])
        let new = ModuleDeclaration(
            id: "Demo", version: "2.0.0", kind: .domain, handles: ["A", "B", "C"], emits: ["New"],
            durabilities: ["A": .machine, "New": .transient])
        #expect(
            old.durabilityChanges(to: new) == [
                "durability of A: process → machine; upgrade those that emit it before those that handle it",
                "durability of B: machine → process; upgrade those that handle it before those that emit it",
            ])
    }
}
