import Relux
import ReluxControl
import ReluxPlugin
import ReluxWire
import Testing

@testable import ReluxRegistry

/// A broker dies with what it was about to say, or with what was said to it: the next one finds it out from who says hello.
@Suite struct LostWordsTests {
    private static let one = "plugins/One/1.0.0-abc"
    private static let two = "plugins/Two/1.0.0-abc"

    /// `One` and `Two` in one process.
    private static func booted() -> FakeCluster {
        var cluster = FakeCluster()
        let plugins = [cluster.pack(declaration("One", .domain)), cluster.pack(declaration("Two", .domain))]
        cluster.boot([HostSpec(id: "shared", plugins: plugins)])
        return cluster
    }

    private static func loads(_ directory: String, _ cluster: FakeCluster) -> Int {
        cluster.running["shared"]?.orders.count { $0 == "load \(directory)" } ?? 0
    }

    @Test func `a module that left while no broker heard it is removed by a hello without it`() {
        var cluster = Self.booted()
        cluster.slow = ["One"]
        cluster.ask(.unload(module: "One", yes: false))
        cluster.restartBroker()
        #expect(cluster.phase("One") == .draining)
        // Its last word reaches a broker that does not know who speaks, and asks.
        cluster.slow = []
        cluster.leave("shared", "One")
        cluster.play()
        #expect(cluster.registry.notices.strangers.messages == 0)
        #expect(cluster.registry.modules["One"] == nil && cluster.phase("Two") == .ready)
        cluster.boot([])
        cluster.ask(.load(host: HostSpec(id: "shared", plugins: [Self.one]), dryRun: false))
        #expect(cluster.phase("One") == .ready && cluster.registry.modules["One"]?.epoch == Epoch(2))
        #expect(cluster.complaints.isEmpty, "\(cluster.complaints)")
    }

    @Test func `a drain that is cut is ordered once more, for an answer that it is over`() {
        var cluster = Self.booted()
        cluster.slow = ["One"]
        cluster.ask(.unload(module: "One", yes: false))
        // It has left, and nobody has heard it.
        cluster.running["shared"]?.modules.removeAll { $0.declaration.id == "One" }
        cluster.running["shared"]?.epochs["One"] = nil
        cluster.slow = []
        cluster.pass(.seconds(8), in: 16)
        #expect(cluster.registry.modules["One"] == nil && cluster.registry.writers.isEmpty)
        cluster.ask(.load(host: HostSpec(id: "shared", plugins: [Self.one]), dryRun: false))
        #expect(cluster.phase("One") == .ready)
        #expect(cluster.running["shared"]?.orders.suffix(2) == ["load \(Self.one)", "proceed One"])
        #expect(cluster.complaints.isEmpty, "\(cluster.complaints)")
    }

    @Test(arguments: [false, true])
    func `an instance that was evicted unheard lets go of its module, and gets it again when it is wanted there`(isOlderFile: Bool) {
        var cluster = Self.booted()
        let process = cluster.running["shared"]
        cluster.running["shared"] = nil
        cluster.ask(.evict(module: "One", yes: false, dryRun: false))
        cluster.ask(.load(host: HostSpec(id: "shared", plugins: [Self.one]), dryRun: false))
        cluster.running["shared"] = process
        if isOlderFile { cluster.persisted?.parting = nil }
        cluster.restartBroker()
        #expect(cluster.phase("One") == .starting)
        cluster.resume("shared")
        let orders = cluster.running["shared"]?.orders ?? []
        #expect(orders.contains("refuse One stale-epoch") == isOlderFile, "\(orders)")
        #expect(orders.suffix(3) == ["drain One", "load \(Self.one)", "proceed One"])
        #expect(cluster.phase("One") == .ready && cluster.registry.modules["One"]?.epoch == Epoch(2))
        #expect(cluster.phase("Two") == .ready && cluster.registry.modules["Two"]?.epoch == Epoch(1))
        #expect(cluster.registry.writers.isEmpty)
        #expect(cluster.complaints.isEmpty, "\(cluster.complaints)")
    }

    @Test(arguments: [false, true])
    func `who was evicted and still writes is known to the next broker until its process has let go, or ended`(isSaid: Bool) {
        var cluster = Self.booted()
        cluster.slow = ["One"]
        cluster.ask(.evict(module: "One", yes: false, dryRun: false))
        cluster.restartBroker()
        #expect(cluster.registry.modules["One"] == nil && cluster.registry.writers == ["One"])
        cluster.resume("shared")
        #expect(cluster.registry.writers == ["One"])
        cluster.restartBroker()
        if isSaid {
            cluster.running["shared"]?.modules.removeAll { $0.declaration.id == "One" }
            cluster.resume("shared")
        } else {
            cluster.crash("shared", restarts: false)
            cluster.boot([])
        }
        #expect(cluster.registry.writers.isEmpty)
    }

    @Test func `an order to load that died with its broker is given by the next one`() {
        var cluster = Self.booted()
        let third = cluster.pack(declaration("Three", .domain))
        let process = cluster.running["shared"]
        cluster.running["shared"] = nil
        cluster.ask(.load(host: HostSpec(id: "shared", plugins: [third]), dryRun: false))
        cluster.running["shared"] = process
        cluster.restartBroker()
        #expect(cluster.phase("Three") == .starting)
        cluster.resume("shared")
        #expect(Self.loads(third, cluster) == 1)
        #expect(cluster.phase("Three") == .ready)
        #expect(cluster.complaints.isEmpty, "\(cluster.complaints)")
    }

    @Test func `a host that has not loaded a module is asked once more, when a quarter of its time is over`() {
        var cluster = Self.booted()
        let third = cluster.pack(declaration("Three", .domain))
        let process = cluster.running["shared"]
        cluster.running["shared"] = nil
        cluster.ask(.load(host: HostSpec(id: "shared", plugins: [third]), dryRun: false))
        cluster.running["shared"] = process
        cluster.pass(.seconds(7), in: 14)
        #expect(Self.loads(third, cluster) == 0 && cluster.phase("Three") == .starting)
        cluster.pass(.seconds(1), in: 2)
        #expect(Self.loads(third, cluster) == 1 && cluster.phase("Three") == .ready)
    }

    @Test func `a host that cannot load a module and says nothing of it is not asked for ever`() {
        var cluster = Self.booted()
        let third = cluster.pack(declaration("Three", .domain))
        cluster.libraries[third] = nil
        cluster.ask(.load(host: HostSpec(id: "shared", plugins: [third]), dryRun: false))
        cluster.pass(.seconds(20), in: 40)
        #expect(Self.loads(third, cluster) == 2 && cluster.phase("Three") == .starting)
        cluster.pass(.seconds(11), in: 22)
        #expect(Self.loads(third, cluster) == 2 && cluster.phase("Three") == .quarantined)
    }

    @Test func `a supervisor hears with its hello what its processes were told to load meanwhile`() {
        var cluster = Self.booted()
        let third = cluster.pack(declaration("Three", .domain))
        cluster.restartBroker()
        cluster.resume("shared")
        cluster.ask(.load(host: HostSpec(id: "shared", plugins: [third]), dryRun: false))
        #expect(cluster.phase("Three") == .ready)
        #expect(cluster.running["shared"]?.spec.plugins == [Self.one, Self.two])
        cluster.boot([])
        #expect(cluster.running["shared"]?.spec.plugins == [Self.one, Self.two, third])
        cluster.crash("shared")
        #expect(cluster.phase("Three") == .ready && cluster.registry.modules["Three"]?.epoch == Epoch(2))
        #expect(cluster.complaints.isEmpty, "\(cluster.complaints)")
    }

    @Test func `a module that the next process of its host does not bring is loaded there`() {
        var cluster = Self.booted()
        cluster.hasty = ["shared"]
        // The supervisor starts what it knew when it was told last.
        cluster.running["shared"]?.spec.plugins = [Self.one]
        cluster.crash("shared")
        #expect(cluster.running["shared"]?.orders.first == "load \(Self.two)")
        #expect(cluster.phase("One") == .ready && cluster.phase("Two") == .ready)
        #expect(cluster.complaints.isEmpty, "\(cluster.complaints)")
    }
}
