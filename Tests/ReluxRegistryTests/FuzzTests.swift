import Relux
import ReluxControl
import ReluxPlugin
import ReluxRegistry
import ReluxTestKit
import ReluxWire
import SoakKit
import Testing

/// Random lives of a cluster: every message is possible at every moment, and some rules hold all the time.
@Suite struct FuzzTests {
    /// Two thousand of each seed.
    @Test(arguments: 1...UInt64(SoakLength.of(1, full: 20)))
    func `thousands of random events break no invariant`(seed: UInt64) {
        var random = SeededRandom(seed: seed)
        var cluster = FakeCluster(RegistryConfiguration(startsAtOnce: 3))
        var specs: [HostSpec] = []
        for index in 0..<2 { specs.append(cluster.host(declaration(name("I\(index)"), .infrastructure))) }
        for index in 0..<4 {
            specs.append(cluster.host(declaration(name("D\(index)"), .domain), imports: ["I\(index % 2)ReluxInt"]))
        }
        for index in 0..<3 {
            specs.append(
                cluster.host(
                    declaration(name("O\(index)"), .orchestrator),
                    imports: ["D\(index)ReluxInt", "D\(index + 1)ReluxInt"]))
        }
        let shared = [
            cluster.pack(declaration("S0", .domain)), cluster.pack(declaration("S1", .domain)),
            cluster.pack(declaration("S2", .orchestrator), imports: ["S0ReluxInt", "D0ReluxInt"]),
        ]
        specs.append(HostSpec(id: "shared", plugins: shared))
        // Breaks a rule whenever it is loaded.
        specs.append(cluster.host(declaration("Bad", .domain), imports: ["D1ReluxInt"]))
        cluster.boot(Array(specs.shuffled(using: &random).prefix(6)))
        var invariants = Invariants()
        for step in 0..<2000 {
            play(&cluster, specs, &random)
            invariants.check(cluster, step: step)
            if step % 100 == 99 {
                heal(&cluster, specs)
                invariants.check(cluster, step: step)
                invariants.checkHealed(cluster, step: step)
            }
            if !invariants.broken.isEmpty { break }
        }
        #expect(invariants.broken.isEmpty)
        #expect(cluster.readyOrder.count > 400)
        #expect(cluster.complaints.isEmpty)
    }

    /// Nobody is mute or slow any more, and somebody asks for all that has ended.
    private func heal(_ cluster: inout FakeCluster, _ specs: [HostSpec]) {
        cluster.mute = []
        cluster.slow = []
        for id in cluster.running.keys.sorted() { cluster.resume(id) }
        cluster.boot(specs)
        cluster.pass(.seconds(40), in: 20)
        for (id, host) in cluster.registry.hosts where cluster.running[id] == nil {
            if host.isForeign {
                for module in host.modules { cluster.ask(.unload(module: module, yes: true)) }
            } else if host.process == .backoff {
                cluster.spawn(host.spec)
            }
        }
        cluster.play()
        cluster.pass(.seconds(40), in: 20)
        for spec in specs {
            cluster.ask(.load(host: spec, dryRun: false))
        }
        for id in cluster.registry.modules.keys.sorted() {
            switch cluster.phase(id) {
            case .refused, .stopped, .quarantined: cluster.ask(.restart(module: id, yes: true))
            default: break
            }
        }
        cluster.pass(.seconds(40), in: 20)
    }

    /// One thing that happens to a cluster; each is five events or so.
    private func play(_ cluster: inout FakeCluster, _ specs: [HostSpec], _ random: inout SeededRandom) {
        let hosts = cluster.running.keys.sorted()
        let modules = cluster.registry.modules.keys.sorted()
        let host = hosts.randomElement(using: &random) ?? "none"
        let module = modules.randomElement(using: &random) ?? "None"
        let spec = specs.randomElement(using: &random)!
        let phases: [ModuleState.Phase] = [
            .declared, .verified, .starting, .recovering, .waiting, .ready, .draining, .stopped, .backoff,
            .quarantined, .refused,
        ]
        switch Int.random(in: 0..<24, using: &random) {
        case 0...3: cluster.crash(host, restarts: Bool.random(using: &random))
        case 4...6: cluster.ask(.load(host: spec, dryRun: Bool.random(using: &random)))
        case 7, 8: cluster.ask(.unload(module: module, yes: Bool.random(using: &random)))
        case 9: cluster.ask(.restart(module: module, yes: random.next() % 2 == 0))
        case 10:
            let state = ModuleState(phases.randomElement(using: &random)!, why: "random")
            cluster.host(host, says: .state(module: module, state: state))
        case 11: cluster.host(host, says: .left(module: module))
        case 12: cluster.host(host, says: .refused(module: module, code: "random", message: "by chance"))
        case 13: cluster.host(host, says: .pong(stalled: [module]))
        case 14: cluster.resume(host)
        case 15: if let connection = cluster.running[host]?.connection { cluster.send(.silent(connection)) }
        case 16: cluster.supervisor(.exited(host: spec.id, pid: 1, status: "exit 1"))
        case 17: if cluster.running[spec.id] == nil { cluster.supervisor(.quarantined(host: spec.id, why: "chance")) }
        case 18:
            cluster.restartBroker()
            for id in cluster.running.keys.sorted() where Bool.random(using: &random) { cluster.resume(id) }
            cluster.boot(specs)
        case 19: cluster.slow = Bool.random(using: &random) ? [module] : []
        case 20: cluster.mute = Bool.random(using: &random) ? [spec.id] : []
        case 21: cluster.ask(.whyNot(module: module))
        case 22: cluster.ask(.status)
        default: cluster.pass(.seconds(Int.random(in: 1...9, using: &random)), in: 4)
        }
    }
}

/// The invariants that must hold between any two events.
private struct Invariants {
    var broken: [String] = []
    private var epochs: [ModuleID: Epoch] = [:]
    private var version: UInt64 = 0
    private var wasReady: [ModuleID: Epoch] = [:]

    mutating func check(_ cluster: FakeCluster, step: Int) {
        let registry = cluster.registry
        if registry.pictureVersion < version { broken.append("\(step): the picture's version fell") }
        version = registry.pictureVersion
        let members = Dictionary(registry.picture.members.map { ($0.module, $0) }) { first, _ in
            broken.append("\(step): \(first.module) is a member twice")
            return first
        }
        for (id, record) in registry.modules {
            if let before = epochs[id], record.epoch < before { broken.append("\(step): the epoch of \(id) fell") }
            epochs[id] = record.epoch
            check(record, registry, members[id], step: step)
            if record.state.phase == .ready, wasReady[id] != record.epoch {
                let phase = registry.boot
                let isAllowed = phase == .open || phase == .orchestrators
                    || phase == .domains && record.kind != .orchestrator
                    || phase == .infrastructure && record.kind == .infrastructure
                if !isAllowed { broken.append("\(step): \(id) became ready in \(phase)") }
                wasReady[id] = record.epoch
            }
        }
        for member in members.keys where registry.modules[member] == nil {
            broken.append("\(step): \(member) is a member without a record")
        }
        for (id, host) in registry.hosts {
            for module in host.modules where registry.modules[module]?.host != id {
                broken.append("\(step): host \(id) lists \(module), which is elsewhere")
            }
        }
    }

    /// All is well again but for what breaks a rule.
    mutating func checkHealed(_ cluster: FakeCluster, step: Int) {
        if cluster.registry.boot != .open { broken.append("\(step): the boot hangs in \(cluster.registry.boot)") }
        for (id, record) in cluster.registry.modules where id != "Bad" && record.state.phase != .ready {
            broken.append("\(step): \(id) does not recover: \(cluster.registry.whyNot(id))")
        }
        if cluster.phase("Bad") == .ready { broken.append("\(step): Bad is ready") }
    }

    private mutating func check(
        _ record: ModuleRecord, _ registry: Registry, _ member: ClusterPicture.Member?, step: Int
    ) {
        let id = record.id
        if registry.hosts[record.host]?.modules.contains(id) != true {
            broken.append("\(step): \(id) is not in the list of its host \(record.host)")
        }
        switch record.state.phase {
        case .ready:
            if !record.isLive { broken.append("\(step): \(id) is ready without an instance") }
            for name in record.imports {
                let provider = registry.modules.values.first { "\($0.id)ReluxInt" == name }
                if provider == nil || provider?.isLeaving == true || provider?.state.phase == .refused {
                    broken.append("\(step): \(id) is ready without \(name)")
                }
            }
        case .refused:
            if record.isMember || member != nil { broken.append("\(step): \(id) is refused and a member") }
        case .backoff, .quarantined, .starting, .stopped:
            if record.isLive { broken.append("\(step): \(id) is \(record.state.phase) and alive") }
        default: break
        }
        if record.state.phase != .refused && member == nil { broken.append("\(step): \(id) is no member") }
        if member?.host != nil && !record.isLive { broken.append("\(step): \(id) has a host in the picture and is dead") }
    }
}
