import Glibc
import ReluxControl
import ReluxPlugin
import ReluxTestKit
import ReluxWire
import Testing

@testable import ReluxRegistry

/// One packed version that the configuration and the command line call by different names.
@Suite struct DirectorySpellingTests {
    /// Two packed versions, and a link to the folder in which they lie; gone with the value.
    private final class Folder {
        private let directory = TemporaryDirectory(isMade: true)
        var path: String { directory.path }

        init() throws {
            for folder in ["store", "store/Auth", "store/Auth/1.0.0-a", "store/Auth/2.0.0-a"] { try #require(mkdir("\(path)/\(folder)", 0o700) == 0) }
            try #require(symlink("store", "\(path)/packed") == 0)
        }

        func linked(_ version: String) -> String { "\(path)/packed/Auth/\(version)-a" }
        func real(_ version: String) -> String { "\(path)/store/Auth/\(version)-a" }
    }

    /// A cluster whose configuration names the first version through the link.
    private func cluster(_ folder: Folder) -> FakeCluster {
        var cluster = FakeCluster()
        for version in ["1.0.0", "2.0.0"] {
            let packed = cluster.pack(HandoverScene.auth(version))
            for name in [folder.linked(version), folder.real(version)] {
                cluster.manifests[name] = cluster.manifests[packed]
                cluster.libraries[name] = cluster.libraries[packed]
                cluster.stored[name] = []
            }
        }
        cluster.boot([HostSpec(id: "auth", plugins: [folder.linked("1.0.0")])])
        return cluster
    }

    /// The answer to what the broker's loop makes of a request.
    private func ask(_ body: ClientRequest.Body, _ cluster: inout FakeCluster) throws -> ClientResponse.Body? {
        let event = PluginReader.event(ClientRequest(id: "asked", body: body), from: FakeCluster.client, for: cluster.registry)
        guard case .client(_, let request, _) = event else { return nil }
        return cluster.ask(request.body)
    }

    @Test func `the link to what was packed last leads to the facts, and to where they lie`() throws {
        let folder = try Folder()
        let (link, manifest) = (folder.linked("2.0.0").replacing("2.0.0-a", with: "current"), "\(folder.real("2.0.0"))/\(PluginManifest.fileName)")
        try #require(symlink("2.0.0-a", link) == 0)
        let said = try JSON.encode(
            PluginManifest(
                module: HandoverScene.auth("2.0.0"), library: "libAuthReluxImpl.so", files: [], runtimeGuard: "", compiler: "", target: "", imports: [],
                contract: Contract(topics: [])))
        let file = try #require(fopen(manifest, "w"))
        fputs(said, file)
        fclose(file)
        defer {
            unlink(link)
            unlink(manifest)
        }
        #expect(PluginFacts.current(beside: folder.linked("1.0.0")) == link)
        let read = PluginReader.read([link, folder.linked("1.0.0")])
        #expect(read[link]?.place == folder.linked("2.0.0"))
        #expect(read[folder.linked("2.0.0")]?.declaration?.version == "2.0.0")
        #expect(read[folder.linked("1.0.0")]?.place == nil)
    }

    @Test func `an upgrade to the version that is served is none, whatever it is called`() throws {
        let folder = try Folder()
        var cluster = cluster(folder)
        for name in [folder.linked("1.0.0"), folder.real("1.0.0"), folder.path + "/packed/Auth/../Auth/1.0.0-a/"] {
            let lines = try ask(.upgrade(module: "Auth", directory: name, dryRun: true), &cluster)?.lines
            #expect(lines == ["nothing to do: Auth 1.0.0 is served from \(folder.linked("1.0.0")) already"])
        }
        let lines = try ask(.upgrade(module: "Auth", directory: folder.real("2.0.0"), dryRun: true), &cluster)?.lines
        #expect(lines?.first?.contains("1.0.0 → 2.0.0") == true)
    }

    @Test func `a plugin that is loaded already is not refused for the name of its folder`() throws {
        let folder = try Folder()
        var cluster = cluster(folder)
        let spec = HostSpec(id: "auth", plugins: [folder.real("1.0.0")])
        #expect(try ask(.load(host: spec, dryRun: false), &cluster)?.refusal == nil)
    }

    @Test func `what was upgraded to stays known when the configuration names it through a link`() throws {
        let folder = try Folder()
        var cluster = cluster(folder)
        cluster.ask(.upgrade(module: "Auth", directory: folder.real("2.0.0"), dryRun: false))
        #expect(cluster.registry.modules["Auth"]?.directory == folder.real("2.0.0"))
        let hello = SupervisorHello(
            pid: 8, instance: "supervisor-2", running: [:], declared: [HostSpec(id: "auth", plugins: [folder.linked("2.0.0"), "/nowhere"])])
        guard case .supervisor(_, .hello(let heard), _) = PluginReader.event(.hello(hello), from: FakeCluster.supervisor, for: cluster.registry) else {
            Issue.record("it is no hello any more")
            return
        }
        #expect(heard.declared.map(\.plugins) == [[folder.real("2.0.0"), "/nowhere"]])
    }
}
