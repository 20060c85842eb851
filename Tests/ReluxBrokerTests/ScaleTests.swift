import ReluxBroker
import ReluxBus
import ReluxPlugin
import ReluxWire
import Testing

@Suite struct ScaleTests {
    @Test func `a thousand modules are registered`() throws {
        var cluster = FakeCluster(RegistryConfiguration(startsAtOnce: 100))
        var specs: [HostSpec] = []
        for index in 0..<1000 {
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
        #expect(cluster.readyOrder.count == 1000)
        #expect(cluster.registry.picture.members.count == 1000)
        #expect(cluster.complaints.isEmpty)
        let bytes = try CBOR.encode(cluster.registry.snapshot)
        #expect(bytes.count < 1 << 20)
    }
}
