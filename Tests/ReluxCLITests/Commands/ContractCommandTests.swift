import Foundation
import Relux
@testable import ReluxCLI
import ReluxPlugin
import ReluxTestKit
import ReluxWire
import Testing

@Suite struct ContractCommandTests {
    private let scratch = TemporaryDirectory(isMade: true)

    private func contract(_ cases: [String], durability: String? = nil) -> Contract {
        Contract(topics: [
            TopicContract(
                topic: "Auth.Business.Effect", cases: cases.map { CaseContract(name: $0) },
                durability: durability == nil ? .process : .transient)
        ])
    }

    private func write(_ value: some Encodable, _ name: String) throws -> String {
        let url = URL(fileURLWithPath: "\(scratch.path)/\(name)")
        try FileManager.default.createDirectory(at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
        try JSONEncoder().encode(value).write(to: url)
        return url.path
    }

    private func manifest(_ version: String, _ cases: [String]) -> PluginManifest {
        PluginManifest(
            module: ModuleDeclaration(id: "Auth", version: version, kind: .domain, handles: [], emits: []), library: "libAuthReluxImpl.so",
            files: [], runtimeGuard: "relux_abi_0", compiler: "", target: "", imports: [], contract: contract(cases))
    }

    @Test func `what is compatible, needs a new version or breaks ends with a status of its own`() throws {
        let old = try write(contract(["login"]), "old.json")
        let more = try write(contract(["login", "logout"]), "more.json")
        let other = try write(contract(["signIn", "logout", "again"]), "other.json")
        let console = TestConsole()
        #expect(console.run(["contract", "diff", old, old]) == .ok)
        #expect(console.out.isEmpty && console.talk == "compatible")

        let added = TestConsole()
        #expect(added.run(["contract", "diff", old, more]) == .unmet)
        #expect(added.out == "new version  Auth.Business.Effect.logout is added")
        #expect(added.talk == "1 change, none breaking; a new version is needed: raise its minor number")

        let broken = TestConsole()
        #expect(broken.run(["contract", "diff", old, other]) == .refused)
        #expect(broken.out.split(separator: "\n").first == "breaking     Auth.Business.Effect.login is removed")
        #expect(broken.talk.hasPrefix("4 changes, 1 breaking; "))

        let name = TestConsole()
        #expect(name.run(["contract", "diff", more, old, "-o", "name"]) == .refused)
        #expect(name.out == "breaking" && name.talk.isEmpty)
    }

    @Test func `programs read verdict and changes`() throws {
        let (old, new) = (try write(contract(["login"]), "old.json"), try write(contract(["login"], durability: "transient"), "new.json"))
        let console = TestConsole()
        #expect(console.run(["contract", "diff", old, new, "--json"]) == .unmet)
        let json = try JSONValue(parsing: console.out)
        #expect(json["schema"] == "relux.contract-diff/1" && json["verdict"] == "new-version")
        guard case .array(let changes)? = json["changes"] else { return #expect(Bool(false), "\(console.out)") }
        #expect(changes.map { $0["what"] } == ["survives transient, not process"])
        let lines = TestConsole()
        #expect(lines.run(["contract", "diff", old, new, "-o", "ndjson"]) == .unmet)
        #expect(try JSONValue(parsing: lines.out)["breaking"] == false)
    }

    @Test func `packed versions, packages and standard input are read too`() throws {
        _ = try write(manifest("1.0.0", ["login"]), "Auth/1.0.0-ab/manifest.json")
        _ = try write(manifest("1.1.0", ["login", "logout"]), "Auth/1.1.0-cd/manifest.json")
        _ = try write(contract(["login", "logout"]), "Plugins/Auth/Sources/AuthReluxInt/Auth.contract.json")
        let packed = TestConsole()
        #expect(packed.run(["contract", "diff", "Auth/1.0.0-ab", "Auth/1.1.0-cd"], directory: scratch.path) == .unmet)
        #expect(packed.talk.hasPrefix("Auth 1.0.0 → Auth 1.1.0: 1 change"))
        let text = String(decoding: try JSONEncoder().encode(contract(["login", "logout"])), as: UTF8.self)
        let piped = TestConsole(input: [text])
        #expect(piped.run(["contract", "diff", "-", "Plugins/Auth"], directory: scratch.path) == .ok)
    }

    @Test func `what is no contract is named with the remedy`() throws {
        let good = try write(contract(["login"]), "good.json")
        let changed = "\(scratch.path)/changed.json"
        try String(contentsOfFile: good, encoding: .utf8).replacing("\"login\"", with: "\"logon\"")
            .write(toFile: changed, atomically: true, encoding: .utf8)
        let byHand = TestConsole()
        #expect(byHand.run(["contract", "diff", good, changed]) == .failed)
        #expect(byHand.talk.contains("contract of Auth.Business.Effect has fingerprint") && byHand.talk.contains("pack it with this relux"))
        let missing = TestConsole()
        #expect(missing.run(["contract", "diff", good, "\(scratch.path)/nowhere", "--json"]) == .notFound)
        #expect(try JSONValue(parsing: missing.talk)["code"] == "contract.missing")
        #expect(TestConsole().run(["contract", "diff", good, scratch.path]) == .notFound)
        #expect(TestConsole().run(["contract", "diff", "-", "-"]) == .usage)
        #expect(TestConsole().run(["contract", "diff", good]) == .usage)
    }
}
