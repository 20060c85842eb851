import ReluxControl
@testable import ReluxHost
@testable import ReluxRegistry
import ReluxSupervisor
import ReluxWire

/// The faults from outside, each with whom or what it finds there then.
extension Simulation {
    enum Role { case host, broker, supervisor }
    enum Fault {
        case kill(Role)
        case killHost(of: ModuleID)
        case killProcess(of: HostID)
        case freeze(Role, Duration)
        case partition(Duration)
        case fillDisk(Duration)
        case fillRegistryDisk(Duration)
        /// The next write fails.
        case breakDisk
        case losePower(isAll: Bool)
        case putBackJournals
        case putBackRegistry
        case putBackCluster
    }

    mutating func strike(_ fault: Fault) {
        switch fault {
        case .kill(let role): if let life = life(of: role) { kill(role, life) }
        case .killHost(let name): if let id = broker?.registry.modules[name]?.host, let life = lives[id] { kill(.host, life) }
        case .killProcess(let id): if let life = lives[id] { kill(.host, life) }
        case .freeze(let role, let duration): if let life = life(of: role) { freeze(life, duration) }
        case .partition(let duration):
            guard let one = anyHost(), let other = anyHost(), one != other else { return }
            partitions[[hosts[one]!.id, hosts[other]!.id]] = now + duration
        case .fillDisk(let duration): if let life = anyHost() { fullDisks[hosts[life]!.id] = now + duration }
        case .fillRegistryDisk(let duration): registryDiskFullUntil = now + duration
        case .breakDisk: if let life = anyHost() { failingDisks.insert(hosts[life]!.id) }
        case .losePower(let isAll): losePower(isAll: isAll)
        case .putBackJournals: putBackJournals()
        case .putBackRegistry: putBackRegistry()
        case .putBackCluster: putBackCluster()
        }
    }

    private mutating func life(of role: Role) -> Int? {
        switch role {
        case .host: anyHost()
        case .broker: broker?.life
        case .supervisor: supervisor?.life
        }
    }

    private mutating func kill(_ role: Role, _ life: Int) {
        if role == .host, let host = hosts[life] {
            // Sometimes nobody wants what ran in it any more, or not just now.
            if isStorm, random.below(6) == 0 {
                for name in host.machine.modules.keys.sorted() { at(later(0...2000), .wish(.evict(name))) }
            }
            return crash(life)
        }
        endProcess(life, .signalled(9))
    }

    var isRegistryDiskFull: Bool { registryDiskFullUntil > now }
}
