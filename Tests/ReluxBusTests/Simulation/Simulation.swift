import Relux
@testable import ReluxBus
import ReluxPlugin

/// Hosts, a broker and a bad network on a virtual clock; everything follows from the seed.
struct Simulation {
    struct Options {
        var dropped = 15
        var doubled = 5
        var reordered = 10
        var isRepairing = true
        var crashes = true
    }
    enum Event {
        case frame(to: Int, [UInt8])
        case subscription(at: Int, from: Int, [UInt8], isAdded: Bool)
        case picture(Int, ClusterPicture)
        case lost(Int, ModuleID)
        case tick(Int)
        case settle(Int, ModuleID, Epoch, EffectID)
        case emit(ModuleID)
        case crash(HostID)
        case restart(HostID)
        case leave(ModuleID)
        case arrive(ModuleID)
        case join(Int, ModuleID)
    }
    struct Member {
        var host: HostID
        var epoch: UInt64 = 0
        var since: UInt64 = 0
        var isMember = true
        var handles: [Topic]
        var emits: [Topic]
    }

    static let names: [ModuleID] = ["A", "B", "C", "D", "E"]
    static let topics: [Topic] = ["T.One", "T.Two", "T.Three"]

    let options: Options
    var random: SeededRandom
    var now = Duration.zero
    /// Latest first; what is due at the same time stays in the order in which it was scheduled.
    var queue: [(at: Duration, event: Event)] = []
    var hosts: [Int: SimulatedHost] = [:]
    var lives: [HostID: Int] = [:]
    var nextLife = 1
    var members: [ModuleID: Member] = [:]
    var version: UInt64 = 0
    /// What a host knows of its peers' subscriptions.
    var known: [Int: [Int: [[UInt8]]]] = [:]
    var lastOnLink: [[Int]: Duration] = [:]
    var partitions: Set<Set<HostID>> = []
    var handled: Set<String> = []
    var lastHandled: [String: UInt64] = [:]
    var faults: [String] = []
    var end: Duration = .seconds(4)

    init(seed: UInt64, options: Options = Options()) {
        self.options = options
        random = SeededRandom(seed: seed)
        let hostIDs = (1...3).map { HostID(rawValue: "h\($0)") }
        for (index, name) in Self.names.enumerated() {
            var handles = Self.topics.filter { _ in random.chance(of: 50) }
            if name == "A" { handles = Self.topics }
            members[name] = Member(
                host: hostIDs[index % 3], handles: handles, emits: Self.topics.filter { _ in random.chance(of: 60) })
        }
        for id in hostIDs { at(random.milliseconds(0...300), .restart(id)) }
        for _ in 0..<120 { at(random.milliseconds(0...4000), .emit(Self.names[random.below(5)])) }
        guard options.crashes else { return }
        for _ in 0..<random.below(3) {
            let id = hostIDs[random.below(3)]
            at(random.milliseconds(500...3500), .crash(id))
        }
        for _ in 0..<random.below(3) {
            let start = random.milliseconds(500...3000)
            let name = Self.names[random.below(5)]
            at(start, .leave(name))
            at(start + random.milliseconds(300...900), .arrive(name))
        }
    }

    /// Runs until nothing is left to do; returns what broke the promises.
    mutating func run() -> [String] {
        var steps = 0
        while let (at, event) = queue.popLast() {
            now = at
            steps += 1
            guard now < .seconds(60), steps < 100_000 else {
                faults.append("not quiet after \(now) and \(steps) steps")
                break
            }
            handle(event)
        }
        for host in hosts.values {
            for effect in host.unended { faults.append("\(effect) of \(host.id) never ended: \(host.accepted[effect]!.outcomes) handled at \(handled.filter { $0.hasPrefix("\(effect) ") })") }
            for (stream, state) in host.core.outbound where !state.isSettled { faults.append("\(host.id) keeps \(state.count) of \(stream)") }
            if !host.core.positions.isEmpty { faults.append("\(host.id) keeps positions") }
            if !host.core.unsettledBytes.isEmpty { faults.append("\(host.id) accounts \(host.core.unsettledBytes)") }
            if !host.core.isJoined { faults.append("\(host.id) has not joined: \(host.core.unansweredHosts)") }
        }
        return faults
    }

    mutating func at(_ time: Duration, _ event: Event) {
        var (low, high) = (0, queue.count)
        while low < high {
            let middle = (low + high) / 2
            if queue[middle].at > time { low = middle + 1 } else { high = middle }
        }
        queue.insert((time, event), at: low)
    }

    var isCalm: Bool { now > end }
}
