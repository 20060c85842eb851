import Relux
@testable import ReluxBus
import ReluxControl
@testable import ReluxHost
import ReluxPlugin
@testable import ReluxRegistry
import ReluxSupervisor
import ReluxTestKit

/// Host processes begin and end, are stopped, and lose their power.
extension Simulation {
    mutating func newLife() -> Int {
        nextLife += 1
        return nextLife
    }

    mutating func startHost(_ spec: HostSpec, _ start: StartNumber) -> Int {
        let life = newLife()
        let marker = Counter()
        let core = BusCore(host: spec.id) {
            marker.value += 1
            var bytes = [UInt8](repeating: UInt8(truncatingIfNeeded: life), count: ReadyRecord.markerByteCount)
            bytes[0] = UInt8(marker.value & 0xff)
            bytes[1] = UInt8(marker.value >> 8 & 0xff)
            return bytes
        }
        lives[spec.id] = life
        hosts[life] = SimulatedHost(id: spec.id, life: life, start: start, plugins: spec.plugins, core: core, born: now)
        reconnect(life)
        at(later(5...60), .boot(life))
        return life
    }

    // MARK: Deaths

    /// SIGKILL, or an end of the same kind.
    mutating func crash(_ life: Int, isWritten: Bool = true, status: ChildStatus = .signalled(9)) {
        guard hosts[life] != nil else { return }
        kill(life, isWritten: isWritten)
        reap(life, status)
    }

    mutating func kill(_ life: Int, isWritten: Bool) {
        guard let host = hosts[life] else { return }
        tally.deaths += 1
        if isWritten, !host.endpoint.isStalled, !host.core.hasUnwritten, options.sabotage == nil {
            for name in host.core.locals.keys.sorted() {
                let live = host.core.locals[name]!.ledger.summary
                let found = disk.ledger(of: name).summary
                if live != found { faults.append("\(name) was not what its journal says\n\(live)\n\(found)") }
            }
        }
        forget(host)
        if lives[host.id] == life { lives[host.id] = nil }
        hosts[life] = nil
        frozen[life] = nil
        known[life] = nil
        for other in known.keys { known[other]?[life] = nil }
        disk.release(by: life, isSplit: options.sabotage == .splitCursor && random.chance(of: 50))
    }

    /// The power goes where some of the hosts run, or where all of the cluster does: processes end, and what was not written back may be gone.
    mutating func losePower(isAll: Bool) {
        // A module that is on its way from one to another has a journal that both can write.
        let isAll = isAll || registryFile?.handovers?.isEmpty == false || broker?.registry.handovers.isEmpty == false
        if isAll, !brokerDies { return }
        guard let chosen = isAll ? nil : anyHost().map({ hosts[$0]!.id }) else { return losePowerEverywhere() }
        tally.powerLosses += 1
        hasLostPower = true
        for life in hosts.keys.sorted() where hosts[life]!.id == chosen { crash(life) }
        for name in Self.names where places[name] == chosen { losePower(of: name) }
    }

    private mutating func losePowerEverywhere() {
        tally.powerLosses += 1
        hasLostPower = true
        for life in hosts.keys.sorted() { kill(life, isWritten: true) }
        if let supervisor { endProcess(supervisor.life, .signalled(9)) }
        for name in Self.names { losePower(of: name) }
    }

    private mutating func losePower(of name: ModuleID) {
        let (lost, fault) = disk.losePower(name, &random)
        trace?("\(now) the journal of \(name) has lost \(lost.count) records")
        for entry in lost { forget(entry) }
        faults += [fault].compactMap(\.self)
    }

    private mutating func forget(_ entry: Said) {
        switch entry.record {
        case .effect(let effect):
            let id = EffectID(module: entry.module, position: effect.position)
            accepted[id] = nil
            if let due = ticks[id], dues[id.module]?[due] == id { dues[id.module]?[due] = nil }
            if safe.contains(id) { faults.append("\(id) was heard, and the power took it") }
        case .settled(let record):
            guard let publisher = entry.topic.settledPublisher else { return }
            for pair in Pair.all(of: record, publisher: publisher, recipient: entry.module) {
                settled.remove(pair)
                if safelySettled.contains(pair) { faults.append("the settlement of \(pair.effect) by \(entry.module) was heard, and the power took it") }
            }
        default: break
        }
    }

    // MARK: Stops

    /// SIGSTOP, and SIGCONT a while later.
    mutating func freeze(_ life: Int, _ duration: Duration) {
        // A process that is stopped already stays so: with another end what waits for it would overtake what waits longer, which no pipe does.
        guard frozen[life].map({ $0 <= now }) ?? true else { return }
        tally.freezes += 1
        frozen[life] = now + duration
    }

    /// One of the hosts, drawn; nil while there is none.
    mutating func anyHost() -> Int? { hosts.isEmpty ? nil : random.pick(hosts.keys.sorted()) }
}

/// Counts for one core. `@unchecked Sendable`: a simulation runs on one thread.
private final class Counter: @unchecked Sendable {
    var value = 0
}
