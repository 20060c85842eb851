import Relux
@testable import ReluxBus

extension Simulation {
    /// What the seed wants to happen; the rest follows while it runs.
    mutating func plan() {
        for (index, name) in Self.names.enumerated() {
            var handles = Self.topics.filter { _ in random.chance(of: 50) }
            if name == "A" { handles = Self.topics }
            members[name] = Member(
                host: Self.hostIDs[index % 3], handles: handles, emits: Self.topics.filter { _ in random.chance(of: 60) })
        }
        for id in Self.hostIDs { at(random.milliseconds(0...300), .restart(id)) }
        for _ in 0..<(10 + random.below(random.chance(of: 25) ? 110 : 40)) {
            at(random.milliseconds(0...4000), .emit(random.pick(Self.names), cause: nil))
        }
        if options.crashes {
            for _ in 0..<random.below(3) { at(random.milliseconds(500...3500), .crash(random.pick(Self.hostIDs))) }
            for _ in 0..<random.below(3) { at(random.milliseconds(500...3000), .leave(random.pick(Self.names))) }
        }
        if options.handOvers, random.chance(of: 50) {
            for _ in 0...random.below(3) { at(random.milliseconds(500...3500), .handOver(random.pick(Self.names))) }
        }
        if options.freezes { planFreezes() }
        if options.partitions, random.chance(of: 30) {
            let one = random.below(3)
            let other = (one + 1 + random.below(2)) % 3
            at(random.milliseconds(300...3000), .partition(Self.hostIDs[one], Self.hostIDs[other], random.milliseconds(50...900)))
        }
        if options.diskFaults { planDiskFaults() }
    }

    private mutating func planFreezes() {
        if random.chance(of: 30) {
            for _ in 0...random.below(2) {
                at(random.milliseconds(300...3000), .freeze(random.pick(Self.hostIDs), random.milliseconds(20...900)))
            }
        }
        if random.chance(of: 25) {
            at(random.milliseconds(300...3000), .stopBroker(random.milliseconds(20...900), isCrash: random.chance(of: 50)))
        }
    }

    private mutating func planDiskFaults() {
        if random.chance(of: 20) {
            at(random.milliseconds(300...3000), .fillDisk(random.pick(Self.hostIDs), random.milliseconds(20...900)))
        }
        if random.chance(of: 10) { at(random.milliseconds(300...3500), .breakDisk(random.pick(Self.hostIDs))) }
        if random.chance(of: 30) {
            // One machine, or all of them.
            for _ in 0...random.below(2) {
                let ids = random.chance(of: 40) ? Self.hostIDs : [random.pick(Self.hostIDs)]
                at(random.milliseconds(500...3500), .losePower(ids))
            }
        }
    }
}
