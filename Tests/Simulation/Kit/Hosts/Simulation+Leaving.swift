import Relux
@testable import ReluxBus
import ReluxControl
@testable import ReluxHost
import ReluxPlugin
import ReluxSupervisor
import ReluxTestKit

/// A module goes from a process: removed, handed over, or with its process.
extension Simulation {
    /// How long handlers may run before they are cancelled.
    private static let drainLimit = Duration.milliseconds(300)
    /// How long others are served what they still need of a module.
    private static let partingLimit = Duration.milliseconds(400)

    mutating func beginDrain(_ name: ModuleID, _ life: Int, _ kind: Departure.Kind) {
        guard let host = hosts[life], let epoch = host.modules[name]?.epoch else { return faults.append("\(name) is drained, and not set up") }
        host.modules[name]!.leaves = kind
        at(now + Self.drainLimit, .cutDrain(life, name, epoch))
        finishDrain(name, life)
    }

    /// Its handlers are done, or have had their time.
    mutating func finishDrain(_ name: ModuleID, _ life: Int, isCut: Bool = false) {
        guard let host = hosts[life], let module = host.modules[name], let kind = module.leaves, let declaration = declaration(of: name, host),
            isCut || module.running.isEmpty
        else { return }
        (host.modules[name], host.suspects[name]) = (nil, nil)
        switch kind {
        case .handedOver: step(life) { $0.handOver(declaration, now: $1) }
        case .orphaned: step(life) { core, now in core.remove(name, now: now) + core.close(name, now: now) }
        case .removed, .ending:
            at(now + Self.partingLimit, .cutOff(life, name))
            step(life) { $0.remove(name, now: $1) }
        }
    }

    mutating func cutDrain(_ name: ModuleID, _ life: Int, _ epoch: Epoch) {
        guard hosts[life]?.modules[name]?.epoch == epoch else { return }
        finishDrain(name, life, isCut: true)
    }

    /// Nobody needs the module's journal from that process any more.
    mutating func left(_ name: ModuleID, _ life: Int) {
        guard let host = hosts[life], case .draining(let departure) = host.machine.modules[name]?.life, host.modules[name] == nil else { return }
        if let journal = disk.journals[name], journal.owner == life {
            disk.seal(name)
            say(.journalEnds([name: journal.end]), life)
        }
        at(now, .machine(life, .gone(name, failure: nil)))
        guard departure.kind == .handedOver else { return }
        // Once in a while its clean-up takes longer than what waits for it.
        at(later(0...(random.chance(of: 10) ? 700 : 10)), .machine(life, .cleaned(name, departure.membership.epoch)))
    }

    // MARK: Processes

    mutating func exit(_ life: Int, _ status: Int32) {
        guard hosts[life] != nil else { return }
        kill(life, isWritten: true)
        reap(life, .exited(status))
    }
}
