import Foundation
import Relux
import ReluxPlugin
import ReluxWire
import Testing

@Suite struct ContractTests {
    private func login(_ password: PayloadShape.Kind = .sealed) -> CaseContract {
        CaseContract(
            name: "login",
            fields: [
                FieldContract(label: "username", type: "String", shape: PayloadShape(.text)),
                FieldContract(
                    label: "password", type: "Secret<String>", shape: PayloadShape(password, of: [PayloadShape(.text)])),
            ])
    }
    private var logout: CaseContract { CaseContract(name: "logout") }

    @Test func `a fingerprint is the same in every run`() {
        #expect(ContractFingerprint(of: "").description == "cbf29ce484222325")
        #expect(ContractFingerprint(of: "foobar").description == "85944171f73967e8")
        let topic = TopicContract(topic: "Auth.Business.Effect", cases: [login(), logout])
        #expect(topic.fingerprint.description == "9be850562f4af6d2")
    }

    @Test func `order, type names and comments do not change a fingerprint, names and shapes do`() {
        let topic = TopicContract(topic: "Auth.Business.Effect", cases: [login(), logout])
        var turned = login()
        turned.fields.reverse()
        turned.fields[0].type = "Secret<Word>"
        turned.doc = "Somebody wants in."
        #expect(TopicContract(topic: topic.topic, cases: [logout, turned]).fingerprint == topic.fingerprint)
        var renamed = login()
        renamed.fields[0].label = "user"
        var optional = login()
        optional.fields[0].optional = true
        for changed in [renamed, optional, login(.array)] {
            #expect(TopicContract(topic: topic.topic, cases: [logout, changed]).fingerprint != topic.fingerprint)
        }
        #expect(TopicContract(topic: "Auth.Other", cases: topic.cases).fingerprint != topic.fingerprint)
    }

    @Test func `the values that a field takes are part of the fingerprint, their order is not`() {
        func topic(_ values: [String]) -> TopicContract {
            let field = FieldContract(label: "tab", type: "Tab", shape: PayloadShape(.text, type: "Tab", values: values))
            return TopicContract(topic: "Auth.Business.Effect", cases: [CaseContract(name: "open", fields: [field])])
        }
        #expect(topic(["one", "two"]).fingerprint == topic(["two", "one"]).fingerprint)
        let others = [[], ["one"], ["one", "two", "three"], ["one|3:two"], ["one|two"]].map(topic)
        #expect(Set((others + [topic(["one", "two"])]).map(\.fingerprint)).count == 6)
    }

    @Test func `a manifest survives its JSON`() throws {
        let user = PayloadShape(
            .structure, type: "Auth.Business.Model.User",
            fields: [
                FieldContract(label: "name", type: "String", optional: true, shape: PayloadShape(.text)),
                FieldContract(
                    label: "parent", type: "User", shape: PayloadShape(.reference, type: "Auth.Business.Model.User")),
                FieldContract(label: "blob", type: "Odd", shape: nil),
            ])
        let manifest = PluginManifest(
            module: ModuleDeclaration(
                id: "Auth", version: "1.4.0", kind: .domain, handles: ["Auth.Business.Effect"], emits: []),
            library: "libAuthReluxImpl.so",
            files: [.init(name: "libAuthReluxImpl.so", size: 12, sha256: String(repeating: "a", count: 64))],
            runtimeGuard: reluxRuntimeGuard, compiler: "Swift version 6.3.1", target: "x86_64-unknown-linux-gnu",
            imports: ["NavigationReluxInt"],
            contract: Contract(
                topics: [TopicContract(topic: "Auth.Business.Effect", cases: [login(), logout])],
                snapshots: [SnapshotContract(topic: "Auth.Business.Snapshot", shape: user)]))
        let json = try JSONEncoder().encode(manifest)
        #expect(try JSONDecoder().decode(PluginManifest.self, from: json) == manifest)
    }

    @Test func `a contract whose fields were edited by hand is refused`() throws {
        let contract = Contract(topics: [TopicContract(topic: "Auth.Business.Effect", cases: [login(), logout])])
        let text = String(decoding: try JSONEncoder().encode(contract), as: UTF8.self)
        let edited = text.replacingOccurrences(of: "\"logout\"", with: "\"exit\"")
        #expect(edited != text)
        #expect(throws: DecodingError.self) { try JSONDecoder().decode(Contract.self, from: Data(edited.utf8)) }
    }
}
