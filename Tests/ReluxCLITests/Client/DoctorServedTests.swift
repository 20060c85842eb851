import Foundation
import Relux
@testable import ReluxCLI
import ReluxControl
import ReluxPlugin
@testable import ReluxRegistry
import ReluxTestKit
import ReluxWire
import Testing

/// The findings of `relux doctor` about the versions that serve.
@Suite struct DoctorServedTests {
    private let scratch: TemporaryDirectory
    private let run: RunDirectory

    init() throws {
        scratch = TemporaryDirectory(isMade: true)
        run = RunDirectory(path: "\(scratch.path)/run")
        try run.create()
    }

    private func status(from directory: String) -> ClusterStatus {
        var status = Demo.status
        status.modules = Array(status.modules.prefix(1))
        status.modules[0].directory = directory
        return status
    }

    @Test func `a packed folder that holds another module is named, and nothing starts by it`() throws {
        let auth = try Demo.pack("Auth", "1.0.0", in: run.path)
        try FileManager.default.createDirectory(atPath: "\(run.packed)/Sync", withIntermediateDirectories: true)
        let current = "\(run.packed)/Sync/current"
        #expect(symlink(auth, current) == 0)
        #expect(MisplacedPlugin.fault(of: current, in: run.packed) == "\(current) holds Auth, not Sync")
        #expect(MisplacedPlugin.fault(of: auth, in: run.packed) == nil && MisplacedPlugin.fault(of: auth, in: "/elsewhere") == nil)
        let file = "\(scratch.path)/cluster.yaml"
        try Data("cluster:\n  name: demo\n  directory: run\n  plugins:\n    - module: Sync\n".utf8).write(to: URL(fileURLWithPath: file))
        for words in [["up"], ["up", "--plan"]] {
            let console = TestConsole()
            #expect(console.run(words + ["--config", file, "--supervisor", "/bin/false"]) == .notFound)
            #expect(console.talk.contains("\(current) holds Auth, not Sync"), "\(console.talk)")
        }
    }

    @Test func `a module whose version is gone, damaged or of another runtime is named while it still runs`() throws {
        let elsewhere = try Demo.pack("Auth", "1.0.0", in: "\(scratch.path)/elsewhere")
        let other = DoctorChecks.served(run, packed: run.packed, status(from: elsewhere))
        #expect(other.map(\.verdict) == [.fail] && other[0].text.contains("was built for runtime relux_abi_0"), "\(other)")
        #expect(other[0].remedy == "build and pack it again, then relux module load Auth --packed")
        try Data("{}".utf8).write(to: URL(fileURLWithPath: "\(elsewhere)/manifest.json"))
        #expect(DoctorChecks.served(run, packed: run.packed, status(from: elsewhere))[0].text.contains("whose manifest cannot be read"))
        // Something that is there and cannot be read is not gone.
        try FileManager.default.removeItem(atPath: "\(elsewhere)/manifest.json")
        try FileManager.default.createDirectory(atPath: "\(elsewhere)/manifest.json", withIntermediateDirectories: false)
        let unread = DoctorChecks.served(run, packed: run.packed, status(from: elsewhere))
        #expect(unread.first?.text.contains("\(elsewhere)/manifest.json cannot be read: it is no regular file") == true, "\(unread)")
        try FileManager.default.removeItem(atPath: elsewhere)
        let gone = DoctorChecks.served(run, packed: run.packed, status(from: elsewhere))
        #expect(gone.map(\.text) == ["it is served from \(elsewhere), which is not there any more: its next start fails"])
        #expect(gone[0].subject == "Auth" && gone[0].remedy == "bring that directory back, or serve another version: relux module upgrade Auth DIRECTORY")
        #expect(DoctorChecks.served(run, packed: run.packed, status(from: "")).isEmpty, "one that is linked into an executable has none")
    }

    @Test func `a version whose files are not those that were packed is named before its next start`() throws {
        let auth = try Demo.pack("Auth", "1.0.0", in: run.path)
        let path = "\(auth)/manifest.json"
        var manifest = try JSON.decode(PluginManifest.self, from: try String(contentsOfFile: path, encoding: .utf8))
        manifest.files = [.init(name: "libAuth.so", size: 3, sha256: "")]
        try Data(try JSON.encode(manifest).utf8).write(to: URL(fileURLWithPath: path))
        func told() -> [String] {
            (DoctorChecks.served(run, packed: run.packed, status(from: auth)) + DoctorChecks.packed(run.packed, active: [auth])).map(\.text)
        }
        #expect(told().allSatisfy { $0.contains("libAuth.so is not there") } && told().count == 2, "\(told())")
        try Data([1, 2]).write(to: URL(fileURLWithPath: "\(auth)/libAuth.so"))
        #expect(told().allSatisfy { $0.contains("libAuth.so has 2 bytes, and was packed with 3") }, "\(told())")
        try Data([1, 2, 3]).write(to: URL(fileURLWithPath: "\(auth)/libAuth.so"))
        #expect(!told().contains { $0.contains("libAuth.so") }, "\(told())")
    }

    @Test func `a version whose directory is gone and which lies among the packed ones is named with that place, while it runs`() throws {
        let gone = "\(scratch.path)/elsewhere/Auth/1.0.0-a"
        let packed = try Demo.pack("Auth", "1.0.0", in: run.path)
        let found = DoctorChecks.served(run, packed: run.packed, status(from: gone))
        #expect(found.map(\.verdict) == [.warn] && found[0].remedy.hasSuffix("relux module upgrade Auth \(run.packed)/Auth/1.0.0-a"), "\(found)")
        withExtendedLifetime(packed) {}
    }

    @Test func `the command says so, of a cluster that runs`() throws {
        let gone = "\(scratch.path)/elsewhere/Auth/1.0.0-a"
        let said = status(from: gone)
        let broker = try FakeBroker(run: run.path) { if case .status = $0 { .status(said) } else { nil } }
        let console = TestConsole()
        #expect(console.run(["doctor", "--run", run.path]) == .failed)
        #expect(console.out.contains("fail  Auth: it is served from \(gone), which is not there any more"), "\(console.out)")
        withExtendedLifetime(broker) {}
    }

    @Test func `without a broker the registry says what was served`() throws {
        var registry = Registry()
        let gone = "\(scratch.path)/elsewhere/Auth/1.0.0-a"
        let declaration = ModuleDeclaration(id: "Auth", version: "1.0.0", kind: .domain, handles: [], emits: [])
        let hello = SupervisorHello(pid: 7, instance: "one", running: [:], declared: [HostSpec(id: "auth", plugins: [gone])])
        _ = registry.on(
            [.supervisor(ConnectionID(ByteString([1])), .hello(hello), plugins: [gone: .manifest(declaration, imports: [], contract: ByteString([]))])],
            now: .zero, time: .zero)
        try RegistryFile(path: run.registry).write(registry.snapshot)
        let console = TestConsole()
        #expect(console.run(["doctor", "--run", run.path]) == .failed)
        #expect(console.out.contains("fail  Auth: it is served from \(gone), which is not there any more"), "\(console.out)")
        #expect(console.out.contains("or serve another version: relux up --packed"), "\(console.out)")
    }

    @Test func `what is wrong with the process's own start is named also where no cluster can be found`() throws {
        var facts = StartFacts()
        (facts.home, facts.temporary) = (.missing("/gone"), .readOnly("/usr"))
        let console = TestConsole(start: facts)
        #expect(console.run(["doctor", "--config", "\(scratch.path)/nowhere.yaml"]) != .ok)
        #expect(console.out.contains("HOME=/gone is not there") && console.out.contains("TMPDIR=/usr cannot be written"), "\(console.out)\n\(console.talk)")
    }
}
