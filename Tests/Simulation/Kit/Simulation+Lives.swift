import Relux
@testable import ReluxBus
import ReluxPlugin

/// Processes begin and end, are stopped, and lose their power.
extension Simulation {
    mutating func restart(_ id: HostID) {
        guard lives[id] == nil, !gone.contains(id) else { return }
        let life = nextLife
        nextLife += 1
        lives[id] = life
        let marker = Counter()
        let core = BusCore(host: id) {
            marker.value += 1
            var bytes = [UInt8](repeating: UInt8(life), count: ReadyRecord.markerByteCount)
            bytes[0] = UInt8(marker.value & 0xff)
            bytes[1] = UInt8(marker.value >> 8 & 0xff)
            return bytes
        }
        hosts[life] = SimulatedHost(id: id, life: life, core: core)
        reconnect(life)
        for name in members.keys.sorted()
        where members[name]?.host == id && members[name]?.isMember == true && handOvers[name] == nil { join(name, life) }
        publishPicture()
    }

    /// The module comes to that process, under a new epoch. False when its journal cannot be opened.
    @discardableResult
    mutating func join(_ name: ModuleID, _ life: Int) -> Bool {
        // It may have died of the module before this one.
        guard let host = hosts[life] else { return false }
        members[name]!.epoch += 1
        let epoch = Epoch(members[name]!.epoch)
        do {
            try disk.open(name, by: life, epoch: epoch)
        } catch {
            trace?("\(now) the journal of \(name) is refused to \(host.id): \(error)")
            return false
        }
        if members[name]!.since == 0 { members[name]!.since = version + 1 }
        members[name]!.host = host.id
        let member = members[name]!
        let ledger = disk.ledger(of: name)
        var sequences: [Topic: UInt64] = [:]
        for (topic, stream) in ledger.streams where !topic.isReserved {
            sequences[topic] = stream.head - (options.sabotage == .reuseSequences ? 2 : 0)
        }
        var module = SimulatedHost.Module(epoch: epoch, position: max(ledger.position, epoch.start), sequences: sequences)
        module.state = restore(ledger, of: name)
        host.modules[name] = module
        host.handedOver.remove(name)
        let declaration = ModuleDeclaration(
            id: name, version: "1.0.0", kind: .domain, handles: member.handles, emits: member.emits)
        step(life) { $0.add(declaration, epoch: epoch, ledger: ledger, now: $1) }
        return true
    }

    // MARK: Deaths

    mutating func crash(_ id: HostID, isWritten: Bool = true) {
        guard lives[id] != nil else { return }
        kill(id, isWritten: isWritten)
        publishPicture()
        switch random.below(12) {
        case 0: at(later(2000...8000), .restart(id))
        case 1 where gone.isEmpty:
            gone.insert(id)
            at(later(0...2000), .bury(id))
        case 2:
            // Removed while it is dead, and declared again later.
            at(later(0...2000), .bury(id))
            at(later(2500...6000), .restart(id))
        default: at(later(50...700), .restart(id))
        }
    }

    private mutating func kill(_ id: HostID, isWritten: Bool) {
        guard let life = lives[id], let host = hosts[life] else { return }
        tally.deaths += 1
        if isWritten, host.stalled == nil, !host.core.hasUnwritten, options.sabotage == nil {
            for name in host.core.locals.keys.sorted() {
                let live = host.core.locals[name]!.ledger.summary
                let found = disk.ledger(of: name).summary
                if live != found { faults.append("\(name) was not what its journal says\n\(live)\n\(found)") }
            }
        }
        forget(host)
        lives[id] = nil
        hosts[life] = nil
        frozen[life] = nil
        known[life] = nil
        for other in known.keys { known[other]?[life] = nil }
        disk.release(by: life, isSplit: options.sabotage == .splitCursor && random.chance(of: 50))
    }

    /// The power goes where these hosts run: their processes end, and what was not written back may be gone.
    mutating func losePower(_ chosen: [HostID]) {
        // A module that is on its way from one to another has a journal that both can write.
        let ids = handOvers.isEmpty ? chosen : Self.hostIDs
        tally.powerLosses += 1
        hasLostPower = true
        for id in ids where lives[id] != nil {
            kill(id, isWritten: true)
            at(later(100...1500), .restart(id))
        }
        for name in members.keys.sorted() where ids.contains(members[name]!.host) {
            let (lost, fault) = disk.losePower(name, &random)
            trace?("\(now) the journal of \(name) has lost \(lost.count) records")
            for entry in lost { forget(entry) }
            faults += [fault].compactMap(\.self)
        }
        publishPicture()
    }

    private mutating func forget(_ entry: BusCore.Unwritten) {
        switch entry.record {
        case .effect(let effect): accepted[EffectID(module: entry.module, position: effect.position)] = nil
        case .settled(let record):
            guard let publisher = entry.topic.settledPublisher else { return }
            settled.remove(Pair(effect: EffectID(module: publisher, position: record.position), recipient: entry.module))
        default: break
        }
    }

    // MARK: Stops

    /// SIGSTOP, and SIGCONT a while later.
    mutating func freeze(_ id: HostID, _ duration: Duration) {
        // One that is stopped already stays so: with another end what waits for it would overtake what waits longer, which no pipe does.
        guard let life = lives[id], frozen[life].map({ $0 <= now }) ?? true else { return }
        tally.freezes += 1
        frozen[life] = now + duration
    }

    mutating func stopBroker(_ duration: Duration, isCrash: Bool) {
        guard brokerBackAt == nil else { return }
        tally.freezes += 1
        brokerBackAt = now + duration
        if isCrash {
            // What it was asked is lost; what it has ordered is on its way.
            queue.removeAll { if case .question = $0.event { true } else { false } }
        }
        at(now + duration, .brokerIsBack)
    }

    mutating func brokerIsBack() {
        brokerBackAt = nil
        if owesPicture { publishPicture() }
    }
}

/// Counts for one core. `@unchecked Sendable`: a simulation runs on one thread.
private final class Counter: @unchecked Sendable {
    var value = 0
}
