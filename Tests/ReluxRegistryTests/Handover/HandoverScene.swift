import Relux
import ReluxControl
import ReluxPlugin
import ReluxRegistry
import ReluxWire

/// A cluster with one importer, one module of its own process, two that share one, and a second version of `Auth`.
struct HandoverScene {
    static let first = "plugins/Auth/1.0.0-abc"
    static let second = "plugins/Auth/2.0.0-abc"
    var cluster = FakeCluster()
    let specs: [HostSpec]

    init(_ configuration: RegistryConfiguration = RegistryConfiguration()) {
        cluster = FakeCluster(configuration)
        let one = cluster.pack(Self.auth("1.0.0"), imports: ["AuthReluxInt"])
        let shared = [
            cluster.pack(declaration("Notes", .domain, handles: ["Notes.Business.Effect"])), cluster.pack(declaration("Profile", .domain)),
        ]
        let session = cluster.host(declaration("Session", .orchestrator), imports: ["AuthReluxInt"])
        specs = [HostSpec(id: "auth", plugins: [one], environment: ["A": "b"]), HostSpec(id: "shared", plugins: shared), session]
        cluster.pack(Self.auth("2.0.0", handles: ["Auth.Business.Effect", "Other.Business.Effect"]), imports: ["AuthReluxInt"])
        cluster.pack(declaration("Notes", .domain, version: "2.0.0", handles: ["Notes.Business.Effect"]))
        cluster.stored[Self.first] = [StoredShape(name: "Auth.State", version: 1)]
        cluster.stored[Self.second] = [StoredShape(name: "Auth.State", version: 2, backTo: [1])]
        cluster.boot(specs)
        // As a host does when it has set the module up.
        cluster.isSetUp("Auth", in: "auth", cluster.stored[Self.first] ?? [])
    }

    static func auth(_ version: String, handles: [Topic] = ["Auth.Business.Effect"]) -> ModuleDeclaration {
        declaration("Auth", .domain, version: version, handles: handles, emits: ["Auth.Business.Effect"])
    }

    @discardableResult
    mutating func upgrade(_ directory: String = second, dryRun: Bool = false) -> ClientResponse.Body? {
        cluster.ask(.upgrade(module: "Auth", directory: directory, dryRun: dryRun), id: dryRun ? nil : "upgrade")
    }

    /// The answer to the upgrade, when there is one.
    var answer: ClientResponse.Body? { cluster.answers["upgrade"]?.last }

    var stage: Handover.Stage? { cluster.registry.handovers["Auth"]?.stage }
    var epoch: UInt64 { cluster.registry.modules["Auth"]?.epoch.rawValue ?? 0 }
    var member: ClusterPicture.Member? { cluster.registry.picture.members.first { $0.module == "Auth" } }

    /// Hosts whose process may write the module's journal.
    var servers: [HostID] { cluster.running.filter { $0.value.epochs["Auth"] != nil }.map(\.key).sorted() }

    /// The broker is another one, and all processes that run speak to it again.
    mutating func restartBroker() {
        cluster.restartBroker()
        for id in cluster.running.keys.sorted() { cluster.resume(id) }
        cluster.boot(specs)
    }
}
