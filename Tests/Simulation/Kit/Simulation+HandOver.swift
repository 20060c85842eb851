import Relux
@testable import ReluxBus

/// A module goes from one host to another, as in an upgrade: the old one stops, drains and seals; the new one opens the same journal under the next
/// epoch. It may fail before it serves; then the old one serves again. Whoever dies meanwhile, the broker goes on by what it sees.
extension Simulation {
    struct HandOver {
        var from: HostID
        var to: HostID
        var since: Duration
        /// The new one has failed.
        var isReverting = false
    }

    mutating func handOver(_ name: ModuleID) {
        let others = Self.hostIDs.filter { $0 != members[name]!.host && !gone.contains($0) && lives[$0] != nil }
        guard let member = members[name], member.isMember, member.epoch > 0, handOvers[name] == nil, !gone.contains(member.host),
            !others.isEmpty
        else { return }
        // One that is leaving stays where it is; one that has no process now may go.
        if let life = lives[member.host], hosts[life]?.modules[name]?.isClosed != false { return }
        tally.handOvers += 1
        handOvers[name] = HandOver(from: member.host, to: random.pick(others), since: now)
        checkHandOver(name)
    }

    /// The broker's next order by who has the module; said again until it is done.
    mutating func checkHandOver(_ name: ModuleID) {
        guard let handOver = handOvers[name] else { return }
        trace?("\(now) hand-over of \(name): \(handOver)")
        let (from, to) = (lives[handOver.from], lives[handOver.to])
        let isAtOld = from.flatMap { hosts[$0]?.modules[name] } != nil
        let isAtNew = to.flatMap { hosts[$0]?.modules[name] } != nil
        if handOver.isReverting {
            // One that has begun to seal ends that first.
            let isSealing = from.flatMap { hosts[$0]?.handedOver.contains(name) } == true
            if isAtOld, !isSealing { return conclude(name, at: handOver.from) }
            if let from {
                if !isSealing { send(.serve(from, name), 0, from) }
            } else {
                return conclude(name, at: handOver.from)
            }
        } else if isAtNew {
            return conclude(name, at: handOver.to)
        } else if isAtOld, let from {
            // Too slow to seal: it goes on. Once in a while it is taken for dead although it lives.
            if now - handOver.since > .seconds(2) {
                handOvers[name]!.isReverting = true
            } else if let to, !isCalm, random.chance(of: 10) {
                send(.serve(to, name), 0, to)
            } else {
                send(.seal(from, name), 0, from)
            }
        } else if let to {
            send(.serve(to, name), 0, to)
        } else {
            handOvers[name]!.isReverting = true
        }
        at(later(100...300), .checkHandOver(name))
    }

    /// The module belongs to that host from here on; one without a process gets it with its next start.
    private mutating func conclude(_ name: ModuleID, at id: HostID) {
        handOvers[name] = nil
        members[name]!.host = id
        if gone.contains(id) { at(now, .bury(id)) }
        publishPicture()
    }

    /// At the old one: nothing new is said or started, and what runs may end.
    mutating func seal(_ name: ModuleID, _ life: Int) {
        guard let host = hosts[life], let module = host.modules[name], !host.handedOver.contains(name),
            let handOver = handOvers[name], !handOver.isReverting, handOver.from == host.id
        else { return }
        host.handedOver.insert(name)
        host.modules[name]!.isClosed = true
        at(later(0...(random.chance(of: 10) ? 2500 : 60)), .drained(life, name, module.epoch))
    }

    /// What still runs is cancelled: it is run again by the successor.
    mutating func drained(_ name: ModuleID, _ life: Int, _ epoch: Epoch) {
        guard let host = hosts[life], host.modules[name]?.epoch == epoch else { return }
        host.modules[name] = nil
        step(life) { core, now in core.remove(name, now: now) + core.close(name, now: now) }
    }

    mutating func serve(_ name: ModuleID, _ life: Int) {
        guard let host = hosts[life], let handOver = handOvers[name], host.modules[name] == nil,
            host.id == (handOver.isReverting ? handOver.from : handOver.to), !host.handedOver.contains(name)
        else { return }
        // It cannot be loaded, or its journal cannot be opened.
        let isUnable = !isCalm && random.chance(of: 15)
        if isUnable || !join(name, life) {
            if !handOver.isReverting { handOvers[name]!.isReverting = true }
            return
        }
        publishPicture()
    }
}
