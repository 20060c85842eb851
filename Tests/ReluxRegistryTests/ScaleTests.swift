import Relux
import ReluxControl
import ReluxPlugin
import ReluxRegistry
import ReluxWire
import SoakKit
import Testing

@Suite struct ScaleTests {
    @Test(arguments: [SoakLength.of(250, full: 1000)]) func `hundreds of modules are registered`(count: Int) throws {
        var cluster = FakeCluster(RegistryConfiguration(startsAtOnce: 100))
        var specs: [HostSpec] = []
        for index in 0..<count {
            switch index % 10 {
            case 0: specs.append(cluster.host(declaration(name("I\(index)"), .infrastructure)))
            case 1...7:
                specs.append(
                    cluster.host(
                        declaration(name("D\(index)"), .domain, handles: ["D.Effect"]),
                        imports: ["I\(index / 10 * 10)ReluxInt"]))
            default:
                specs.append(
                    cluster.host(
                        declaration(name("O\(index)"), .orchestrator, emits: ["D.Effect"]),
                        imports: ["D\(index / 10 * 10 + 1)ReluxInt", "D\(index / 10 * 10 + 7)ReluxInt"]))
            }
        }
        cluster.enqueue(
            .supervisor(
                FakeCluster.supervisor,
                .hello(SupervisorHello(pid: 1, instance: "s", running: [:], declared: specs)),
                plugins: cluster.manifests))
        cluster.playInBatches()
        #expect(cluster.isOpen)
        #expect(cluster.readyOrder.count == count)
        #expect(cluster.registry.picture.members.count == count)
        #expect(cluster.complaints.isEmpty)
        let bytes = try CBOR.encode(cluster.registry.snapshot)
        #expect(bytes.count < 1 << 20)
    }
}
