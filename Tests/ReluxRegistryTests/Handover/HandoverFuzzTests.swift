import Glibc
import Relux
import ReluxControl
import ReluxPlugin
import ReluxRegistry
import ReluxTestKit
import ReluxWire
import SoakKit
import Testing

/// Hand-overs in random company: processes, broker and patience end at any moment, orders are refused or not answered.
@Suite struct HandoverFuzzTests {
    private static let modules: [ModuleID] = ["A", "B", "C"]
    private static let versions = ["1.0.0", "2.0.0", "3.0.0"]

    /// RELUX_HANDOVER_SEED=n runs that one only and prints what led to a failure.
    static let seeds: [UInt64] = {
        guard let text = getenv("RELUX_HANDOVER_SEED"), let seed = UInt64(String(cString: text)) else {
            return Array(1...UInt64(SoakLength.of(1, full: 20)))
        }
        return [seed]
    }()

    @Test(arguments: seeds)
    func `hand-overs in random order never have two serve at once, and always end with one`(seed: UInt64) {
        var random = SeededRandom(seed: seed)
        var cluster = FakeCluster(RegistryConfiguration(startsAtOnce: 3))
        cluster.isTraced = Self.seeds.count == 1
        var directories: [ModuleID: [String]] = [:]
        for id in Self.modules {
            for version in Self.versions {
                let directory = cluster.pack(declaration(id, .domain, version: version))
                cluster.stored[directory] = [StoredShape(name: "S", version: UInt32(version.prefix(1)) ?? 0, backTo: [1, 2])]
                directories[id, default: []].append(directory)
            }
        }
        let specs = [
            HostSpec(id: "a", plugins: [directories["A"]![0]]),
            HostSpec(id: "shared", plugins: [directories["B"]![0], directories["C"]![0]]),
            cluster.host(declaration("O", .orchestrator), imports: ["AReluxInt", "BReluxInt"]),
        ]
        cluster.boot(specs)
        var done = 0
        var broken: [String] = []
        for step in 0..<1200 {
            play(&cluster, directories, specs, step, &random)
            check(cluster, step, &broken)
            if step % 60 == 59 {
                heal(&cluster, specs)
                check(cluster, step, &broken)
                checkHealed(cluster, step, &broken)
            }
            if !broken.isEmpty || !cluster.complaints.isEmpty { break }
        }
        for fact in cluster.facts { if case .moduleUpgraded = fact { done += 1 } }
        let failures = cluster.facts.count { if case .upgradeFailed = $0 { true } else { false } }
        if !broken.isEmpty || !cluster.complaints.isEmpty { print(cluster.trace.suffix(80).joined(separator: "\n")) }
        #expect(broken.isEmpty, "\(broken)")
        #expect(cluster.complaints.isEmpty, "\(cluster.complaints)")
        #expect(done > 40)
        #expect(failures > 20)
    }

    private func play(
        _ cluster: inout FakeCluster, _ directories: [ModuleID: [String]], _ specs: [HostSpec], _ step: Int,
        _ random: inout SeededRandom
    ) {
        let module = Self.modules.randomElement(using: &random)!
        let host = cluster.running.keys.sorted().randomElement(using: &random) ?? "none"
        let verb = ["standby", "handOver", "serve"].randomElement(using: &random)!
        switch Int.random(in: 0..<28, using: &random) {
        case 0...6:
            let directory = directories[module]!.randomElement(using: &random)!
            cluster.ask(.upgrade(module: module, directory: directory, dryRun: random.next() % 8 == 0), id: "\(step)")
        case 7...8: cluster.ask(.rollback(module: module, dryRun: false), id: "\(step)")
        case 9...11:
            let to: HostID? = [nil, "shared", "a", "far"].randomElement(using: &random)!
            cluster.ask(.move(module: module, to: to, dryRun: false), id: "\(step)")
        case 12...14: cluster.crash(host, restarts: Int.random(in: 0..<4, using: &random) > 0)
        case 15, 16: cluster.heldBack.insert("\(module) \(verb)")
        case 17: cluster.refused.insert("\(module).2 \(verb)")
        case 18: cluster.refused.insert("\(host) \(verb)")
        case 25: (cluster.heldBack, cluster.refused, cluster.slow, cluster.mute) = ([], [], [], [])
        case 19: cluster.slow = [module]
        case 20: cluster.mute = [HostID(rawValue: module.rawValue)]
        case 21, 22:
            cluster.restartBroker()
            for id in cluster.running.keys.sorted() where random.next() % 4 != 0 { cluster.resume(id) }
            cluster.boot(specs)
        case 23: cluster.resume(host)
        case 24: if let connection = cluster.running[host]?.connection { cluster.send(.silent(connection)) }
        default: cluster.pass(.seconds(Int.random(in: 1...12, using: &random)), in: 6)
        }
    }

    private func check(_ cluster: FakeCluster, _ step: Int, _ broken: inout [String]) {
        let registry = cluster.registry
        for id in Self.modules {
            let writers = cluster.running.filter { $0.value.epochs[id] != nil }
            if writers.count > 1 { broken.append("\(step): \(id) is served by \(writers.keys.sorted())") }
            guard let record = registry.modules[id] else {
                broken.append("\(step): \(id) is gone")
                continue
            }
            if let epoch = writers.first?.value.epochs[id], epoch > record.epoch {
                broken.append("\(step): \(id) runs under \(epoch), which the registry has not given")
            }
            guard let persisted = cluster.persisted?.modules.first(where: { $0.id == id }) else { continue }
            if persisted.epoch != record.epoch { broken.append("\(step): the epoch of \(id) is not on the disk") }
            if cluster.persisted?.handovers?.first(where: { $0.module == id })?.stage != registry.handovers[id]?.stage {
                broken.append("\(step): the stage of \(id) is not on the disk")
            }
        }
        for (id, host) in registry.hosts {
            for module in host.modules where registry.modules[module]?.host != id {
                broken.append("\(step): host \(id) lists \(module), which is elsewhere")
            }
        }
    }

    private func heal(_ cluster: inout FakeCluster, _ specs: [HostSpec]) {
        (cluster.heldBack, cluster.refused, cluster.slow, cluster.mute) = ([], [], [], [])
        for id in cluster.running.keys.sorted() { cluster.resume(id) }
        cluster.boot(specs)
        for _ in 0..<3 {
            cluster.pass(.seconds(40), in: 20)
            for (id, host) in cluster.registry.hosts.sorted(by: { $0.key < $1.key })
            where cluster.running[id] == nil && (host.process == .backoff || host.process == .ordered) {
                cluster.spawn(host.spec)
            }
            cluster.play()
            for id in cluster.registry.modules.keys.sorted() {
                switch cluster.phase(id) {
                case .refused, .stopped, .quarantined: cluster.ask(.restart(module: id, yes: true))
                default: break
                }
            }
        }
        cluster.pass(.seconds(40), in: 20)
    }

    private func checkHealed(_ cluster: FakeCluster, _ step: Int, _ broken: inout [String]) {
        if !cluster.registry.handovers.isEmpty { broken.append("\(step): a hand-over has no end: \(cluster.registry.handovers)") }
        for id in Self.modules + ["O"] where cluster.phase(id) != .ready {
            broken.append("\(step): \(id) does not recover: \(cluster.registry.whyNot(id))")
        }
        for id in Self.modules where cluster.running.count(where: { $0.value.epochs[id] != nil }) != 1 {
            broken.append("\(step): \(id) is not served by exactly one host")
        }
        let wanted = Set(cluster.registry.modules.values.map(\.host))
        for id in cluster.running.keys where !wanted.contains(id) { broken.append("\(step): process \(id) is left over") }
        for id in cluster.registry.hosts.keys where !wanted.contains(id) { broken.append("\(step): host \(id) is left over") }
        for (id, process) in cluster.running {
            for module in process.modules where cluster.registry.modules[module.declaration.id]?.host != id {
                broken.append("\(step): \(module.declaration.id) still stands by in \(id)")
            }
        }
    }
}
