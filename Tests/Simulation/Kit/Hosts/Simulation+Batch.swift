import Relux
@testable import ReluxBus
import ReluxControl
@testable import ReluxLedger
@testable import ReluxRegistry
import ReluxSupervisor
import ReluxTestKit

/// The two threads of a process: what comes in is taken at once; what goes out is journaled and sent, a batch at a time.
extension Simulation {
    /// - Parameter writes: what follows from the step is in the journals before it happens.
    mutating func step(_ life: Int, writes: Bool = true, _ work: @escaping SimulatedHost.Work) {
        guard let host = hosts[life] else { return }
        if writes {
            host.endpoint.take(host.intake.takeSaid(), now: now) { 0 }
            host.endpoint.on { $1.actions += work(&$0, now) }
            route(life)
            pull(life)
        } else {
            let heard = host.endpoint.hear { work(&$0, now) }
            route(life)
            for action in heard.actions { perform(action, life) }
            if heard.isSaid { pull(life) }
        }
        schedule(life)
    }

    /// Takes in what a module says or settles; the sending thread finds it at once, or with more behind it.
    mutating func takeIn(_ life: Int, _ body: (inout Intake) -> Bool) {
        guard let host = hosts[life] else { return }
        _ = body(&host.intake)
        if random.chance(of: 30) { at(now + .microseconds(random.below(2000)), .pull(life)) } else { turn(life) }
    }

    /// Does the work that is due, and writes it.
    mutating func turn(_ life: Int) {
        pull(life)
        schedule(life)
    }

    private mutating func route(_ life: Int) {
        for action in hosts[life]?.endpoint.takeRoutes() ?? [] { perform(action, life) }
    }

    private mutating func schedule(_ life: Int) {
        noteHeard(life)
        // Work that waits behind a batch without room is done with its retry.
        guard let host = hosts[life], !host.endpoint.isStalled, let next = host.core.nextTick, host.tickAt.map({ $0 > next }) ?? true else { return }
        host.tickAt = max(now, next)
        at(max(now, next), .tick(life))
    }

    /// Turns of the sending thread, until it may sleep.
    private mutating func pull(_ life: Int) {
        for isIdle in [false, true] {
            guard let host = hosts[life], !host.endpoint.isStalled else { return }
            host.endpoint.take(host.intake.take().contents, now: now) { 0 }
            guard let batch = host.endpoint.turn(isIdle: isIdle, now: now, journal: nil) else { return }
            route(life)
            take(batch, life)
        }
    }

    private mutating func take(_ batch: Batch, _ life: Int) {
        var batch = batch
        do {
            let parts = try batch.draft.get()
            let falsified = try falsified(parts)
            batch.draft = .success(falsified)
            batch.actions = self.falsified(batch.actions)
            if options.sabotage == .sayEarly { batch.pressing = [] }
            if options.sabotage == .forgetCursor {
                let kept = Set(try falsified.flatMap { try $0.said() })
                batch.written = try JournalPart.parts(of: parts.flatMap { try $0.said() }.filter { !kept.contains($0) }).reaching
            }
            finish(batch, life)
        } catch {
            faults.append("a batch of host \(life) cannot be coded: \(error)")
        }
    }

    mutating func retry(_ life: Int) {
        guard let host = hosts[life], host.endpoint.isStalled, let batch = host.endpoint.turn(isIdle: true, now: now, journal: nil) else { return }
        finish(batch, life)
        turn(life)
    }

    /// Writes the batch down, then lets out what depends on it.
    private mutating func finish(_ batch: Batch, _ life: Int) {
        guard let host = hosts[life] else { return }
        var batch = batch
        switch append(&batch, of: host) {
        case .isWritten:
            let (written, starts) = host.endpoint.written(batch)
            for module in starts { sync(module, life) }
            letOut(written.actions, written.runs, life)
        case .hasNoRoom:
            let released = host.endpoint.refused(batch, by: JournalRefusal(module: "Cluster", description: "no room", isTemporary: true))
            letOut(released.actions, released.runs, life)
            at(now + .milliseconds(100), .retry(life))
        case .hasDied: break
        }
    }

    private enum Fate { case isWritten, hasNoRoom, hasDied }

    private mutating func append(
        _ batch: inout Batch, of host: SimulatedHost
    ) -> Fate {
        guard var parts = try? batch.draft.get(), !parts.isEmpty else { return .isWritten }
        let dies = options.crashes && !isCalm && random.below(300) == 0
        if dies, random.chance(of: 50) {
            // Nothing of it has left, unless the frames go first.
            if options.sabotage == .publishBeforeAppend { letOut(batch.actions, parts.reaching, host.life) }
            crash(host.life, isWritten: false)
            return .hasDied
        }
        if options.sabotage == .partsUnordered { parts.reverse() }
        // It may die between two journals, or while it writes one.
        let end = dies && random.chance(of: 70) ? random.below(parts.count + 1) : parts.count
        for (index, part) in parts.enumerated() {
            for other in part.foundations.intersection(batch.pressing) { disk.writeBack(other) }
            if let fault = writeFault(of: host, dies: index == end) {
                let goesOn = cut(part, by: fault, of: host)
                if !goesOn { crash(host.life, isWritten: false, status: fault == .broken ? .exited(81) : .signalled(9)) }
                return goesOn ? .hasNoRoom : .hasDied
            }
            write(part, by: host)
            batch.draft = .success(Array(parts[(index + 1)...]))
            batch.written += [part].reaching
        }
        if dies { crash(host.life) }
        return dies ? .hasDied : .isWritten
    }

    private mutating func writeFault(of host: SimulatedHost, dies: Bool) -> SimulatedDisk.WriteFault? {
        if failingDisks.remove(host.id) != nil { return .broken }
        if let full = fullDisks[host.id], full > now, random.chance(of: 70) {
            return .full(dies: options.crashes && !isCalm && random.below(20) == 0)
        }
        return dies ? .death : nil
    }

    /// False when the process cannot go on; what is there of the part then is as if it had been written.
    private mutating func cut(_ part: JournalPart, by fault: SimulatedDisk.WriteFault, of host: SimulatedHost) -> Bool {
        let remnant = disk.cut(part, by: fault, &random)
        trace?("\(now) a write of \(part.module) is cut by \(fault): \(remnant.batches.joined().count) of \(part.recordCount) records are there")
        faults += [remnant.fault].compactMap(\.self)
        for batch in remnant.batches { write(batch, of: part.module, by: host) }
        return remnant.goesOn
    }

    private mutating func write(_ part: JournalPart, by host: SimulatedHost) {
        do {
            write(try part.said().map(\.written), of: part.module, by: host)
        } catch {
            faults.append("what \(host.id) has coded cannot be read: \(error)")
        }
    }

    private mutating func write(_ batch: [Said], of module: ModuleID, by host: SimulatedHost) {
        if options.sabotage != .noFencing, disk.journals[module]?.owner != host.life {
            faults.append("\(host.id) writes the journal of \(module), which \(disk.journals[module]?.owner ?? 0) has")
        }
        var noted: [(entry: Said, recipients: [ModuleID])] = []
        disk.append(batch, of: module) { noted.append(($0, $1)) }
        let isStray = orphans.contains(host.life) && broker.map { $0.registry.modules[module] == nil } == true
        for (entry, recipients) in noted { note(entry, recipients, isStray: isStray) }
        if random.below(50) == 0 { disk.writeBack(module) }
    }

    private mutating func note(_ entry: Said, _ recipients: [ModuleID], isStray: Bool) {
        switch entry.record {
        case .effect(let effect):
            let id = EffectID(module: entry.module, position: effect.position)
            if takenBack.contains(where: { $0.id == id }) { judgeRepeated(id) }
            accepted[id] = Accepted(recipients: recipients, memberVersion: effect.memberVersion)
            noteTick(id)
            checkRecipients(id, entry.topic, recipients, at: effect.memberVersion)
            if isStray { straySaid.insert(id) }
        case .settled(let record):
            guard let publisher = entry.topic.settledPublisher else { return }
            for pair in Pair.all(of: record, publisher: publisher, recipient: entry.module) {
                if !settled.insert(pair).inserted { faults.append("\(pair.effect) was settled twice by \(entry.module)") }
                everSettled.insert(pair)
                if isStray { straySettled.insert(pair) }
            }
        case .acked(let record):
            for effect in record.effects {
                everAcked.insert(Pair(effect: EffectID(module: entry.module, position: effect.position), recipient: record.recipient))
            }
        default: break
        }
    }

    // MARK: What is let out

    /// Brings to the disk what is appended by now, on a thread of its own.
    private mutating func sync(_ module: ModuleID, _ life: Int) {
        at(later(1...(random.chance(of: 10) ? 300 : 10)), .synced(life, module, disk.batches(of: module).count))
    }

    mutating func synced(_ module: ModuleID, _ count: Int, _ life: Int) {
        guard let host = hosts[life] else { return }
        // It is not known any more what is on the disk.
        if failingDisks.remove(host.id) != nil { return crash(life, status: .exited(81)) }
        if disk.journals[module]?.owner == life { disk.writeBack(module, upTo: count) }
        if host.endpoint.synced(module) { sync(module, life) }
        if host.endpoint.isStalled { retry(life) } else { pull(life) }
    }

    private mutating func letOut(_ actions: [BusCore.Action], _ runs: [SaidRun], _ life: Int) {
        for run in runs { noteSaid(run) }
        for action in actions { noteSaid(action) }
        var packer = FramePacker()
        packer.pack(runs)
        var local: [BusCore.Action] = []
        packer.pack(actions, into: &local)
        for action in local { perform(action, life) }
        for message in packer.finish().messages where !message.tapOnly { publish(message.bytes, life) }
    }

    private mutating func noteSaid(_ run: SaidRun) {
        guard let frame = try? Frame(decoding: run.frame) else { return faults.append("a run of \(run.topic) makes no frame") }
        for record in frame.records { noteSaid(record, by: run.module, on: run.topic) }
    }

    /// From here on somebody may rely on it.
    private mutating func noteSaid(_ action: BusCore.Action) {
        switch action {
        case .publish(let stream, _, let record, _): noteSaid(record, by: stream.publisher, on: stream.topic)
        case .replay(let topic, let publisher, _, let records): for record in records { noteSaid(record, by: publisher, on: topic) }
        case .deliver(let effect, let publisher, let topic, _, _): noteSaid(.effect(effect), by: publisher, on: topic)
        default: break
        }
    }

    private mutating func noteSaid(_ record: WireRecord, by module: ModuleID, on topic: Topic) {
        switch record {
        case .effect(let effect) where effect.durability == .machine: safe.insert(EffectID(module: module, position: effect.position))
        case .settled(let settled) where settled.isMachine:
            guard let publisher = topic.settledPublisher else { return }
            safelySettled.formUnion(Pair.all(of: settled, publisher: publisher, recipient: module))
        default: break
        }
    }

    private mutating func perform(_ action: BusCore.Action, _ life: Int) {
        guard let host = hosts[life] else { return }
        switch action {
        case .deliver(let effect, let publisher, let topic, let recipient, let lifeThere):
            // Held back since an earlier one: the core gives it to this one by itself.
            guard host.modules[recipient]?.life == lifeThere else { return }
            deliver(effect, EffectID(module: publisher, position: effect.position), topic, to: recipient, life)
        case .left(let module), .handedOver(let module, _): left(module, life)
        case .askCourier(let question): askCourier(question, life)
        case .connect(let endpoint): connect(host, endpoint)
        case .disconnect(let endpoint): disconnect(host, endpoint)
        case .subscribe(let prefix): subscribe(host, prefix)
        case .unsubscribe(let prefix): unsubscribe(host, prefix)
        case .publish, .replay, .ready, .snapshot, .joined, .overloaded, .settle, .missed, .interrupted, .expectHandOver: break
        }
    }

    // MARK: Sabotage

    private mutating func falsified(_ parts: [JournalPart]) throws -> [JournalPart] {
        switch options.sabotage {
        case .acknowledgeEarly: try Self.filtered(parts) { if case .acked = $0.record { !random.chance(of: 20) } else { true } }
        case .noDeclaration: try Self.filtered(parts) { if case .gone = $0.record { false } else { true } }
        case .forgetCursor: try Self.filtered(parts) { if case .settled = $0.record { !random.chance(of: 10) } else { true } }
        default: parts
        }
    }

    private static func filtered(_ parts: [JournalPart], _ isKept: (Said) -> Bool) throws -> [JournalPart] {
        try JournalPart.parts(of: parts.flatMap { try $0.said() }.filter(isKept))
    }

    private func falsified(_ actions: [BusCore.Action]) -> [BusCore.Action] {
        switch options.sabotage {
        case .noDoubt:
            actions.filter { action in
                switch action {
                case .publish(_, _, .fetch(let fetch), _): !fetch.ranges.isEmpty
                case .askCourier(.records(_, _, let ranges, _)): !ranges.isEmpty
                default: true
                }
            }
        case .replaySkips:
            actions.map { action in
                guard case .replay(let topic, let publisher, let epoch, var records) = action else { return action }
                let first = records.firstIndex { record in
                    switch record {
                    case .effect, .settled: true
                    default: false
                    }
                }
                if let first { records.remove(at: first) }
                return .replay(topic: topic, publisher: publisher, epoch, records)
            }
        default: actions
        }
    }
}
