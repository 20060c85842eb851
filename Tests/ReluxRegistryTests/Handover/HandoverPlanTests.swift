import Relux
import ReluxControl
import ReluxPlugin
import ReluxRegistry
import ReluxWire
import Testing

/// Refusals before anything happens, and the answers of a dry run.
@Suite struct HandoverPlanTests {
    private func contract(_ cases: [CaseContract]) throws -> [UInt8] {
        try CBOR.encode(Contract(topics: [TopicContract(topic: "Auth.Business.Effect", cases: cases)]))
    }

    /// Nothing is remembered, ordered or said by what was refused or only planned.
    private func unchanged(_ scene: inout HandoverScene, _ body: ClientRequest.Body) throws -> ClientResponse.Body? {
        let before = try CBOR.encode(scene.cluster.registry.snapshot)
        let orders = scene.cluster.supervisorOrders.count
        let answer = scene.cluster.ask(body)
        #expect(try CBOR.encode(scene.cluster.registry.snapshot) == before)
        #expect(scene.cluster.supervisorOrders.count == orders)
        return answer
    }

    @Test func `a dry run says what would happen to whom, and nothing happens`() throws {
        var scene = HandoverScene()
        scene.cluster.manifests[HandoverScene.first] = .manifest(
            HandoverScene.auth("1.0.0"), imports: ["AuthReluxInt"], contract: ByteString(try contract([CaseContract(name: "login")])))
        scene.cluster.restartBroker()
        for id in scene.cluster.running.keys.sorted() { scene.cluster.resume(id) }
        scene.cluster.boot(scene.specs)
        scene.cluster.manifests[HandoverScene.second] = .manifest(
            HandoverScene.auth("2.0.0", handles: ["Auth.Business.Effect", "Other.Business.Effect"]), imports: ["AuthReluxInt"],
            contract: ByteString(try contract([CaseContract(name: "login"), CaseContract(name: "logout")])))
        let lines = try unchanged(&scene, .upgrade(module: "Auth", directory: HandoverScene.second, dryRun: true))?.lines
        #expect(
            lines == [
                "upgrade   Auth 1.0.0 → 2.0.0  host auth → Auth, a new process  in flight 0",
                "contract  compatible",
                "          Auth.Business.Effect.logout is added",
                "handles   also Other.Business.Effect",
                "states    Auth.State version 1; what the new build makes of them it says when it runs",
                "restarts  nobody; host auth ends when Auth is ready in Auth",
                "waits     effects for Auth, from its last handler to ready; importers stay ready: Session",
            ])
    }

    @Test func `a rollback's dry run shows the states that go back`() throws {
        var scene = HandoverScene()
        scene.upgrade()
        let lines = try unchanged(&scene, .rollback(module: "Auth", dryRun: true))?.lines ?? []
        #expect(lines.contains("states    Auth.State version 2 → 1"))
        #expect(lines.first == "rollback  Auth 2.0.0 → 1.0.0  host Auth → Auth.2, a new process  in flight 0")
        scene.cluster.crash("Auth", restarts: false)
        scene.cluster.supervisor(.backoff(host: "Auth", milliseconds: 900, why: "exit 1"))
        let late = try unchanged(&scene, .rollback(module: "Auth", dryRun: true))?.lines ?? []
        #expect(late.contains("          it does not run: nobody turns them back, and the other build may refuse them"))
    }

    @Test func `a move's dry run names the neighbours that stay`() throws {
        var scene = HandoverScene()
        let lines = try unchanged(&scene, .move(module: "Notes", to: nil, dryRun: true))?.lines
        #expect(
            lines == [
                "move      Notes 1.0.0  host shared → Notes, a new process  in flight 0", "restarts  nobody",
                "stays     Profile in host shared, not restarted", "waits     effects for Notes, from its last handler to ready",
            ])
    }

    @Test func `a broken contract is refused, with every break`() throws {
        var scene = HandoverScene()
        scene.cluster.manifests[HandoverScene.first] = .manifest(
            HandoverScene.auth("1.0.0"), imports: ["AuthReluxInt"],
            contract: ByteString(try contract([CaseContract(name: "login"), CaseContract(name: "logout")])))
        scene.restartBroker()
        scene.cluster.manifests[HandoverScene.second] = .manifest(
            HandoverScene.auth("2.0.0"), imports: ["AuthReluxInt"], contract: ByteString(try contract([CaseContract(name: "signIn")])))
        let refusal = try #require(
            try unchanged(&scene, .upgrade(module: "Auth", directory: HandoverScene.second, dryRun: false))?.refusal)
        #expect(refusal.code == "contract-broken")
        #expect(refusal.message.contains("Auth.Business.Effect.login is removed; Auth.Business.Effect.logout is removed"))
        #expect(refusal.message.contains("relux module unload Auth"))
    }

    @Test func `what cannot be handed over is refused with the rule's name`() throws {
        var scene = HandoverScene()
        scene.cluster.manifests["plugins/gone"] = .unreadable(code: "manifest.unreadable", message: "no such directory")
        let kind = scene.cluster.pack(declaration("Auth", .infrastructure, version: "9.0.0"), imports: ["NotesReluxInt"])
        let domain = scene.cluster.pack(declaration("Auth", .domain, version: "9.1.0"), imports: ["ProfileReluxInt"])
        let expected: [(ClientRequest.Body, String)] = [
            (.upgrade(module: "Nobody", directory: HandoverScene.second, dryRun: true), "unknown-module"),
            (.upgrade(module: "Auth", directory: "plugins/gone", dryRun: false), "manifest.unreadable"),
            (.upgrade(module: "Auth", directory: "plugins/Notes/1.0.0-abc", dryRun: false), "other-module"),
            (.upgrade(module: "Auth", directory: kind, dryRun: false), "layer.infrastructureToDomain"),
            (.upgrade(module: "Auth", directory: domain, dryRun: false), "layer.domainToDomain"),
            (.rollback(module: "Auth", dryRun: false), "no-way-back"),
            (.move(module: "Auth", to: "broker", dryRun: false), "bad-host-name"),
            (.move(module: "Auth", to: "", dryRun: false), "bad-host-name"),
            (.move(module: "Auth", to: "../../x", dryRun: false), "bad-host-name"),
        ]
        for (body, rule) in expected {
            let refusal = try unchanged(&scene, body)?.refusal
            #expect(refusal?.code == rule && refusal?.passes == nil)
        }
        scene.cluster.crash("shared", restarts: false)
        let away = try unchanged(&scene, .move(module: "Auth", to: "shared", dryRun: false))?.refusal
        #expect(away?.code == "host-not-running" && away?.passes == "host shared to run")
        scene.cluster.supervisor(.quarantined(host: "shared", why: "it died too often"))
        let quarantined = try unchanged(&scene, .move(module: "Auth", to: "shared", dryRun: false))?.refusal
        #expect(quarantined?.code == "host-not-running" && quarantined?.passes == nil)
    }

    @Test func `where it is already there is nothing to do`() throws {
        var scene = HandoverScene()
        for body in [
            ClientRequest.Body.upgrade(module: "Auth", directory: HandoverScene.first, dryRun: false),
            .move(module: "Auth", to: "auth", dryRun: false), .move(module: "Auth", to: nil, dryRun: false),
        ] {
            #expect(try unchanged(&scene, body)?.lines?.first?.hasPrefix("nothing to do: Auth ") == true)
        }
    }

    @Test func `an executable of its own and a host of somebody else's are left alone`() throws {
        var cluster = FakeCluster()
        let one = cluster.pack(HandoverScene.auth("1.0.0"))
        let two = cluster.pack(HandoverScene.auth("2.0.0"))
        cluster.boot([HostSpec(id: "auth", plugins: [one], executable: "/bin/auth")])
        #expect(cluster.ask(.upgrade(module: "Auth", directory: two, dryRun: false))?.refusal?.code == "own-executable")

        var other = FakeCluster(RegistryConfiguration(supervised: false))
        let first = other.pack(HandoverScene.auth("1.0.0"))
        let second = other.pack(HandoverScene.auth("2.0.0"))
        other.spawn(HostSpec(id: "auth", plugins: [first]))
        other.play()
        let foreign = other.ask(.upgrade(module: "Auth", directory: second, dryRun: false))?.refusal
        #expect(foreign?.code == "no-supervisor" && foreign?.passes == nil)
    }

    @Test func `a refused module is to be replaced by a load, not upgraded`() throws {
        var scene = HandoverScene()
        scene.cluster.host("auth", says: .refused(module: "Auth", code: "host.module", message: "broken"))
        let refusal = scene.cluster.ask(.upgrade(module: "Auth", directory: HandoverScene.second, dryRun: false))?.refusal
        #expect(refusal?.message.contains("load the other version in its place: relux module load DIRECTORY") == true)
    }
}
