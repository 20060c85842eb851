import Relux
@testable import ReluxBus
import ReluxControl
@testable import ReluxHost
import ReluxJournal
import ReluxTestKit
@testable import ReluxLedger
@testable import ReluxRegistry

/// A module is set up: its journal is opened, and it joins the bus. It is opened when its host's machine says so.
extension Simulation {
    /// The factory is done.
    mutating func setUp(_ name: ModuleID, _ attempt: Attempt, _ life: Int) {
        guard let host = hosts[life] else { return }
        let outcome = outcome(of: name, attempt, life)
        trace?("\(now) \(host.id) sets \(name) up under \(attempt.epoch): \(outcome)")
        at(now, .machine(life, .setUp(name, outcome)))
    }

    private mutating func outcome(of name: ModuleID, _ attempt: Attempt, _ life: Int) -> HostMachine.SetUpOutcome {
        let epoch = attempt.epoch
        guard let host = hosts[life], host.machine.isWanted(name, epoch), let declaration = declaration(of: name, host) else { return .withdrawn }
        let found = disk.journals[name]?.end ?? JournalEnd(opened: Epoch(0))
        do {
            try disk.open(name, by: life, epoch: epoch)
        } catch {
            return switch error {
            case .locked: .delayed(why: "another process has it")
            case .stale(let written): .outlived(by: written, why: "it was written under \(written)")
            }
        }
        if let missing = host.known[name]?.missing(behind: found, before: epoch) {
            let gone = GoneRecord(topic: .lives(of: name), range: missing)
            disk.append([Said(module: name, topic: GoneRecord.topic, record: .gone(gone))], of: name) { _, _ in }
        }
        // The restoring of its state may fail, and then it stands by again. Its journal is open by then.
        if attempt.isHeld, !isCalm, isHandedOver(name, to: host.id, in: .serving), random.chance(of: 10) {
            disk.abandon(name)
            return .failed(code: "host.module", message: "by chance")
        }
        let ledger = disk.ledger(of: name)
        var sequences: [Topic: UInt64] = [:]
        for (topic, stream) in ledger.streams where !topic.isReserved {
            sequences[topic] = stream.head
        }
        let picture = host.core.membership.picture?.version ?? 0
        var module = SimulatedHost.Module(
            epoch: epoch, life: epoch.rawValue, since: members[name]!.memberships.last { $0 <= picture } ?? 0, position: max(ledger.position, epoch.start),
            sequences: sequences)
        module.state = restore(ledger, of: name)
        module.tick = ledger.schedules[Self.schedule]?.last ?? 0
        host.modules[name] = module
        host.suspects[name] = !isCalm && random.chance(of: 15) ? .seconds(1 << 40) : nil
        places[name] = host.id
        step(life) { $0.add(declaration, epoch: epoch, ledger: ledger, life: epoch.rawValue, isHeld: attempt.isHeld, now: $1) }
        return .done(hasSuspects: host.suspects[name] != nil)
    }

    mutating func open(_ name: ModuleID, _ life: Int) {
        guard let host = hosts[life], host.modules[name] != nil else { return faults.append("\(name) is opened, and not set up") }
        for (other, until) in host.suspects.sorted(by: { $0.key < $1.key }) where other != name && until > now && host.modules[other]?.isOpen == true {
            faults.append("\(name) is opened in \(host.id) while \(other) runs its suspects")
        }
        if host.suspects[name] != nil {
            let end = later(20...600)
            host.suspects[name] = end
            at(end, .machineTick(life))
        }
        host.modules[name]!.isOpen = true
        let early = host.modules[name]!.early
        host.modules[name]!.early = []
        for (effect, id, topic) in early { deliver(effect, id, topic, to: name, life) }
        step(life) { $0.open(name, now: $1) }
    }
}
