import Relux
@testable import ReluxBus
import ReluxPlugin

/// The broker: who is a member, where it runs, and what the journals of the dead say.
extension Simulation {
    mutating func bury(_ id: HostID) {
        guard lives[id] == nil else { return }
        for (name, member) in members.sorted(by: { $0.key < $1.key })
        where member.host == id && member.isMember && handOvers[name] == nil {
            remove(name)
            if !gone.contains(id) { at(later(500...3000), .arrive(name)) }
        }
        publishPicture()
    }

    mutating func remove(_ name: ModuleID) {
        members[name]!.isMember = false
        members[name]!.since = 0
        removed.insert(name)
    }

    mutating func leave(_ name: ModuleID) {
        guard let member = members[name], let life = lives[member.host], let host = hosts[life], handOvers[name] == nil,
            host.modules[name]?.isClosed == false
        else { return }
        host.modules[name]!.isClosed = true
        finishLeaving(name, life)
    }

    /// Its handlers are done: what it has said is served for a while, then its journal is closed and it is no member any more.
    mutating func finishLeaving(_ name: ModuleID, _ life: Int) {
        guard let host = hosts[life], let module = host.modules[name], module.isClosed, module.running.isEmpty,
            !host.handedOver.contains(name)
        else { return }
        host.modules[name] = nil
        at(now + .milliseconds(400), .cutOff(life, name))
        step(life) { $0.remove(name, now: $1) }
    }

    /// Nobody needs the module's journal from that process any more.
    mutating func left(_ name: ModuleID, _ life: Int) {
        guard let host = hosts[life] else { return }
        if disk.journals[name]?.owner == life { disk.seal(name) }
        guard host.handedOver.remove(name) == nil, members[name]?.isMember == true, members[name]?.host == host.id,
            handOvers[name] == nil
        else { return }
        remove(name)
        publishPicture()
        at(later(50...500), .arrive(name))
    }

    mutating func arrive(_ name: ModuleID) {
        guard let member = members[name], !member.isMember, !gone.contains(member.host) else { return }
        members[name]!.isMember = true
        members[name]!.since = version + 1
        publishPicture()
        // Behind the picture that took it away, as every order of the broker.
        guard let life = lives[member.host] else { return }
        send(.join(life, name), 0, life)
    }

    mutating func publishPicture() {
        owesPicture = brokerBackAt != nil
        if owesPicture { return }
        version += 1
        let listed = members.filter { $0.value.isMember && $0.value.epoch > 0 }.sorted { $0.key < $1.key }
        let picture = ClusterPicture(
            version: version,
            members: listed.map { name, member in
                let isLive = lives[member.host].flatMap { hosts[$0]?.modules[name] } != nil
                return .init(
                    module: name, epoch: Epoch(member.epoch), since: options.sabotage == .ignoreSince ? 0 : member.since,
                    handles: member.handles, emits: member.emits, provides: [], observes: [], host: isLive ? member.host : nil)
            },
            hosts: lives.keys.sorted().map { .init(id: $0, endpoint: $0.rawValue, tapEndpoint: "") })
        for life in lives.values.sorted() { send(.picture(life, picture), 0, life) }
    }

    // MARK: Courier

    /// Questions and answers may get lost on the way, and both take a while.
    mutating func askCourier(_ question: CourierQuestion, _ life: Int) {
        if options.sabotage == .noCourier || (!isCalm && random.chance(of: options.dropped)) {
            trace?("\(now) question of \(life) is lost: \(question)")
            return
        }
        at(later(0...60), .question(life, question))
    }

    mutating func ask(_ question: CourierQuestion, _ life: Int) {
        let answer = CourierAnswer(to: question, retired: Self.names.filter { members[$0]?.isMember == false }) { name in
            disk.journals[name].map { CourierLedger(ledger: $0.ledger, epoch: $0.epoch) }
        }
        if !isCalm, random.chance(of: options.dropped) {
            trace?("\(now) answer to \(life) is lost: \(question)")
            return
        }
        at(later(0...60), .answer(life, answer))
        if random.chance(of: options.doubled) { at(later(0...900), .answer(life, answer)) }
    }
}
