import Relux
import ReluxTestKit
@testable import ReluxBus

extension Simulation {
    /// Plans the events that the seed wants; the rest follows while it runs.
    mutating func plan() {
        for name in Self.names {
            var handles = Self.topics.filter { _ in random.chance(of: 50) }
            if name == "A" { handles = Self.topics }
            members[name] = Member(handles: handles, emits: Self.topics.filter { _ in random.chance(of: 60) })
        }
        pack()
        at(.zero, .startSupervisor)
        at(Self.end, .care)
        at(random.milliseconds(100...600), .wish(.load(Self.unfiled)))
        for _ in 0..<(5 + random.below(random.chance(of: 15) ? 110 : 25)) {
            at(random.milliseconds(0...4000), .emit(random.pick(Self.names), cause: nil))
        }
        isStorm = random.chance(of: 50)
        brokerDies = options.crashes && (isStorm || random.chance(of: 40))
        let handsOver = options.handOvers && (isStorm || !brokerDies && random.chance(of: 50))
        if options.crashes { planCrashes(isWished: isStorm || !brokerDies && !handsOver) }
        if handsOver {
            for _ in 0...random.below(3) { at(random.milliseconds(500...3500), .wish(handOver())) }
        }
        if options.freezes { planFreezes() }
        if options.partitions, random.chance(of: 30) { at(random.milliseconds(300...3000), .fault(.partition(random.milliseconds(50...900)))) }
        if options.diskFaults { planDiskFaults() }
        if options.copies, brokerDies, random.chance(of: 25) {
            at(random.milliseconds(800...3500), .fault(random.chance(of: 50) ? .putBackRegistry : .putBackCluster))
        } else if options.copies, random.chance(of: 20) {
            for _ in 0...random.below(2) { at(random.milliseconds(800...3500), .fault(.putBackJournals)) }
        }
        if options.crashes, isStorm { planStarts() }
    }

    /// Deaths and wishes that meet a process before it has said hello, or a broker that is away.
    private mutating func planStarts() {
        if random.chance(of: 25) {
            // Its next process starts 100 ms later or more, and takes up to 60 ms to speak.
            let (name, start) = (random.pick(Self.names), random.milliseconds(500...3000))
            at(start, .fault(.killHost(of: name)))
            at(start + random.milliseconds(60...250), .wish(.unload(name)))
        }
        if random.chance(of: 20) {
            let (host, start) = (random.pick(Self.hostIDs), random.milliseconds(500...3200))
            temporary = host
            if random.chance(of: 70) { at(start, .fault(.kill(.broker))) }
            at(start + random.milliseconds(0...60), .fault(.killProcess(of: host)))
        }
    }

    private mutating func planCrashes(isWished: Bool) {
        for _ in 0..<random.below(3) { at(random.milliseconds(500...3500), .fault(.kill(.host))) }
        if isWished {
            for _ in 0..<random.below(3) { at(random.milliseconds(500...3000), .wish(.unload(random.pick(Self.names)))) }
            if random.chance(of: 15) { at(random.milliseconds(500...3500), .wish(.evict(random.pick(Self.names)))) }
        }
        if isWished, random.chance(of: 25) {
            // A module that dies while what it imports is away waits in its next life.
            let start = random.milliseconds(500...3000)
            at(start, .wish(.unload(Self.provider)))
            at(start + random.milliseconds(20...1200), .fault(.killHost(of: Self.importer)))
        }
        if brokerDies {
            if random.chance(of: 40) { at(random.milliseconds(100...3500), .fault(.kill(.broker))) }
            if random.chance(of: 25) { at(random.milliseconds(100...3500), .fault(.kill(.supervisor))) }
        }
    }

    private mutating func handOver() -> Wish {
        let name = random.pick(Self.names)
        return switch random.below(5) {
        case 0: .rollBack(name)
        case 1: .move(name, to: nil)
        case 2: .move(name, to: random.pick(Self.hostIDs))
        default: .upgrade(name)
        }
    }

    private mutating func planFreezes() {
        if random.chance(of: 30) {
            for _ in 0...random.below(2) { at(random.milliseconds(300...3000), .fault(.freeze(.host, freezeTime()))) }
        }
        if brokerDies || isStorm {
            if random.chance(of: 40) { at(random.milliseconds(300...3000), .fault(.freeze(.broker, freezeTime()))) }
            if random.chance(of: 25) { at(random.milliseconds(300...3000), .fault(.freeze(.supervisor, freezeTime()))) }
        }
    }

    /// Once in a while so long that it is taken for dead.
    private mutating func freezeTime() -> Duration { random.milliseconds(random.chance(of: 8) ? 2000...4000 : 20...900) }

    private mutating func planDiskFaults() {
        if random.chance(of: 20) { at(random.milliseconds(300...3000), .fault(.fillDisk(random.milliseconds(20...900)))) }
        if random.chance(of: 8) { at(random.milliseconds(100...3000), .fault(.fillRegistryDisk(random.milliseconds(20...900)))) }
        if random.chance(of: 10) { at(random.milliseconds(300...3500), .fault(.breakDisk)) }
        if random.chance(of: 30) {
            // One machine, or all of them.
            for _ in 0...random.below(2) { at(random.milliseconds(500...3500), .fault(.losePower(isAll: random.chance(of: 40)))) }
        }
    }
}
