import Relux
import ReluxControl
import ReluxPlugin
import ReluxRegistry
import ReluxWire
import Testing

/// Both ends of a topic mean the same by "accepted".
@Suite struct DurabilityTests {
    private static let topic: Topic = "Auth.Business.Effect"

    private func booted(emits said: Relux.Durability, handles expected: Relux.Durability, hearerFirst: Bool) -> FakeCluster {
        var cluster = FakeCluster()
        let emitter = cluster.host(declaration("Auth", .domain, emits: [Self.topic], durabilities: [Self.topic: said]))
        let hearer = cluster.host(declaration("Log", .domain, handles: [Self.topic], durabilities: [Self.topic: expected]))
        cluster.boot(hearerFirst ? [hearer, emitter] : [emitter, hearer])
        return cluster
    }

    @Test(arguments: Relux.Durability.allCases, Relux.Durability.allCases)
    func `who emits may promise more than is expected, never less`(said: Relux.Durability, expected: Relux.Durability) {
        for hearerFirst in [true, false] {
            let cluster = booted(emits: said, handles: expected, hearerFirst: hearerFirst)
            let refused = ["Auth", "Log"].filter { cluster.registry.modules[$0]?.refusal?.rule.rawValue == "durability-too-low" }
            #expect(refused == (said < expected ? [hearerFirst ? "Auth" : "Log"] : []))
            guard let id = refused.first else { continue }
            #expect(cluster.why(id).contains("Auth emits \(Self.topic) as \(said.rawValue), Log was built for \(expected.rawValue)"))
        }
    }

    @Test func `what comes through the ingress is kept as those expect who handle it`() {
        var cluster = FakeCluster()
        cluster.boot([
            cluster.host(declaration("A", .domain, handles: [Self.topic], durabilities: [Self.topic: .transient])),
            cluster.host(declaration("B", .domain, handles: ["Other"])),
            cluster.host(declaration("C", .domain, handles: ["Both"], durabilities: ["Both": .process])),
            cluster.host(declaration("D", .domain, handles: ["Both"], durabilities: ["Both": .machine])),
        ])
        #expect(cluster.registry.durability(of: Self.topic) == .transient)
        #expect(cluster.registry.durability(of: "Other") == .process && cluster.registry.durability(of: "Nobody") == .process)
        #expect(cluster.registry.durability(of: "Both") == .machine)
    }

    @Test func `a library that says another durability than its manifest is refused`() {
        var cluster = FakeCluster()
        let host = cluster.host(declaration("Auth", .domain, emits: [Self.topic]))
        cluster.libraries[host.plugins[0]] = HostHello.Module(
            declaration: declaration("Auth", .domain, emits: [Self.topic], durabilities: [Self.topic: .machine]), imports: [], epoch: nil,
            state: ModuleState(.starting))
        cluster.boot([host])
        #expect(cluster.registry.modules["Auth"]?.refusal?.rule.rawValue == "declaration-differs")
        #expect(cluster.why("Auth").contains("durabilities = [], the library [\(Self.topic): machine]"))
    }
}
