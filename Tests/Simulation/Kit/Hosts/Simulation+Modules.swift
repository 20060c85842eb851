import Relux
@testable import ReluxBus
import ReluxControl
import ReluxTestKit
@testable import ReluxHost
@testable import ReluxLedger

/// The work of modules: emit, handle, settle, keep their state.
extension Simulation {
    mutating func emit(_ name: ModuleID, for cause: Cause?) {
        // While it is restored it may say something too.
        guard let emits = members[name]?.emits, !emits.isEmpty,
            let life = hosts.keys.sorted().first(where: { speaks(name, in: $0, cause) }),
            hosts[life]!.modules[name]!.isOpen || random.chance(of: 10)
        else { return }
        if let until = frozen[life], until > now { return at(until, .emit(name, cause: cause)) }
        for _ in 0...random.below(3) {
            let topic = random.pick(emits)
            // It may have died of the last one.
            guard let host = hosts[life], let module = host.modules[name] else { return }
            let position = module.position + 1
            let sequence = module.sequences[topic, default: module.epoch.start] + 1
            host.modules[name]!.position = position
            host.modules[name]!.sequences[topic] = sequence
            let beside = tick(name, life, at: position)
            let appended = Relux.Emission(
                id: EffectID(module: name, position: position), topic: topic, sequence: sequence, caseName: "x",
                payload: [1, 2, 3], ancestry: cause?.path ?? [], memberVersion: host.version,
                recipients: Recipients(recipients(of: topic, in: host)),
                // An effect that is said behind the settlement of its cause is not looked for by a re-run.
                isDetached: cause?.path.last.map { !module.running.contains($0) } ?? false, beside: beside, durability: topic == Self.machineTopic ? .machine : .process)
            takeIn(life) { $0.say(appended) }
        }
    }

    /// Some of the effects are ticks of a schedule, each a step behind the one before.
    private mutating func tick(_ name: ModuleID, _ life: Int, at position: UInt64) -> Relux.Emission.Beside {
        guard position % 3 == 0, let module = hosts[life]?.modules[name] else { return .nothing }
        let due = module.tick + 1
        hosts[life]!.modules[name]!.tick = due
        ticks[EffectID(module: name, position: position)] = due
        let place = Relux.SchedulePlace(name: Self.schedule, rule: "", last: Relux.WallTime(milliseconds: due), next: nil)
        guard options.sabotage == .splitTick else { return .place(place) }
        at(later(1...5), .place(life, name, module.epoch, place))
        return .nothing
    }

    mutating func place(_ life: Int, _ name: ModuleID, _ epoch: Epoch, _ place: Relux.SchedulePlace) {
        guard let module = hosts[life]?.modules[name], module.epoch == epoch else { return }
        takeIn(life) {
            $0.note(.record(.schedule(ScheduleRecord(place)), on: ScheduleRecord.topic, of: name, life: module.life, nil), byteCount: 0)
        }
    }

    /// The tick of an effect is in a journal: no other effect of the journal has it.
    mutating func noteTick(_ id: EffectID) {
        guard let due = ticks[id] else { return }
        if let other = dues[id.module, default: [:]][due], other != id, !putBackNames.contains(id.module) {
            faults.append("tick \(due) of \(id.module) is \(id), and was \(other)")
        }
        dues[id.module, default: [:]][due] = id
    }

    private func recipients(of topic: Topic, in host: SimulatedHost) -> [ModuleID] {
        let all = host.recipients[topic] ?? []
        guard options.sabotage == .forgetParked else { return all }
        let absences = host.core.membership.picture?.absences ?? [:]
        return all.filter { absences[$0] == nil }
    }

    private func speaks(_ name: ModuleID, in life: Int, _ cause: Cause?) -> Bool {
        guard let module = hosts[life]?.modules[name] else { return false }
        return module.leaves == nil && (cause?.epoch ?? module.epoch) == module.epoch
    }

    mutating func deliver(_ effect: EffectRecord, _ id: EffectID, _ topic: Topic, to recipient: ModuleID, _ life: Int) {
        // A module that gives way starts nothing any more: its successor hears it.
        guard let host = hosts[life], let module = host.modules[recipient], !module.isYielding else { return }
        guard module.isOpen else {
            host.modules[recipient]!.early.append((effect, id, topic))
            return
        }
        tally.handled += 1
        let pair = Pair(effect: id, recipient: recipient)
        if effect.memberVersion < module.since { faults.append("\(id) reached \(recipient), and was meant for the one before") }
        if settled.contains(pair) { faults.append("\(id) was handled again by \(recipient) after it was settled") }
        let order = OrderKey(stream: StreamID(publisher: id.module, topic: topic), recipient: recipient, epoch: module.epoch)
        if let last = lastHandled[order], last >= effect.sequence { faults.append("\(id) came to \(recipient) after \(last) of \(topic)") }
        lastHandled[order] = effect.sequence
        host.modules[recipient]!.running.insert(id)
        host.modules[recipient]!.state.reduce(id)
        if random.chance(of: 20) {
            at(later(0...3), .emit(recipient, cause: Cause(path: effect.ancestry + [id], epoch: module.epoch)))
        }
        let delivery = Delivery(id: id, topic: topic, sequence: effect.sequence, durability: effect.durability)
        at(later(3...(random.chance(of: 10) ? 600 : 5)), .settle(life, recipient, module.epoch, delivery))
    }

    mutating func settle(_ life: Int, _ recipient: ModuleID, _ epoch: Epoch, _ delivery: Delivery) {
        guard let host = hosts[life], let module = host.modules[recipient], module.epoch == epoch else { return }
        host.modules[recipient]!.state.settle(delivery.id)
        var settled = Relux.Settled(
            id: delivery.id, topic: delivery.topic, sequence: delivery.sequence, recipient: recipient, result: .success,
            duration: .zero)
        settled.durability = delivery.durability
        host.modules[recipient]!.ended.append(settled)
        // Others may end before it is said.
        if random.chance(of: 50) { at(later(0...3), .report(life, recipient, epoch)) } else { report(life, recipient, epoch) }
    }

    mutating func report(_ life: Int, _ recipient: ModuleID, _ epoch: Epoch) {
        guard let host = hosts[life], let module = host.modules[recipient], module.epoch == epoch, !module.ended.isEmpty else { return }
        host.modules[recipient]!.ended = []
        host.modules[recipient]!.running.subtract(module.ended.map(\.id))
        let (ended, lifeHere) = ([Settling](module.ended), module.life)
        let isLate = options.sabotage == .captureLate
        let captured = isLate ? [] : [module.state.captured]
        takeIn(life) { $0.settle(.init(module: recipient, life: lifeHere, batch: ended, states: captured)) }
        if isLate { at(later(1...5), .capture(life, recipient, epoch)) }
        finishDrain(recipient, life)
    }

    mutating func capture(_ life: Int, _ name: ModuleID, _ epoch: Epoch) {
        guard let host = hosts[life], let module = host.modules[name], module.epoch == epoch else { return }
        let state = module.state.captured
        let record = StateRecord(stateName: state.name, version: 1, reduced: state.reduced, value: state.bytes[...])
        step(life) { core, _ in
            core.write(.state(record), on: StateRecord.topic, of: name)
            return []
        }
    }

    /// Restores the state from a module's journal; it has to be what the module had settled.
    mutating func restore(_ ledger: Ledger, of name: ModuleID) -> SimulatedState {
        let state = ledger.states[SimulatedState.name].map(SimulatedState.init) ?? SimulatedState()
        if state.settledSum != disk.journals[name]?.settledSum ?? 0 { faults.append("the state of \(name) is not what it has settled") }
        return state
    }
}
