import Relux
@testable import ReluxBus
import ReluxPlugin

extension Simulation {
    mutating func handle(_ event: Event) {
        switch event {
        case .frame(let to, let bytes): step(to, writes: false) { $0.receive(bytes, now: $1) }
        case .subscription(let at, let from, let prefix, let isAdded):
            guard hosts[at] != nil, hosts[from] != nil else { return }
            if isAdded {
                known[at, default: [:]][from, default: []].append(prefix)
                step(at, writes: false) { $0.subscribed(prefix, now: $1) }
            } else if let index = known[at]?[from]?.firstIndex(of: prefix) {
                known[at]?[from]?.remove(at: index)
            }
        case .picture(let to, let picture):
            hosts[to]?.version = picture.version
            hosts[to]?.recipients = picture.recipients
            step(to) { $0.apply(picture, now: $1) }
        case .tick(let life):
            hosts[life]?.tickAt = nil
            step(life) { $0.tick(now: $1) }
        case .settle(let life, let recipient, let epoch, let delivery): settle(life, recipient, epoch, delivery)
        case .question(let life, let question): ask(question, life)
        case .answer(let life, let answer): step(life, writes: false) { $0.receive(answer, now: $1) }
        case .bury(let id): bury(id)
        case .cutOff(let life, let module): step(life) { $0.close(module, now: $1) }
        case .emit(let module, let cause): if cause?.path.count ?? 0 < 3 { emit(module, for: cause) }
        case .crash(let id): crash(id)
        case .restart(let id): restart(id)
        case .leave(let module): leave(module)
        case .arrive(let module): arrive(module)
        case .join(let life, let module):
            guard hosts[life] != nil, hosts[life]?.modules[module] == nil else { return }
            join(module, life)
            publishPicture()
        }
    }

    // MARK: Modules

    private mutating func emit(_ name: ModuleID, for cause: Cause?) {
        guard let member = members[name], let life = lives[member.host], let module = hosts[life]?.modules[name],
            !module.isClosed, !member.emits.isEmpty, cause.map({ $0.epoch == module.epoch }) ?? true
        else { return }
        for _ in 0...random.below(3) {
            let topic = member.emits[random.below(member.emits.count)]
            // It may have died of the last one.
            guard let host = hosts[life], let module = host.modules[name] else { return }
            let position = module.position + 1
            let sequence = module.sequences[topic, default: Epoch(member.epoch).start] + 1
            hosts[life]!.modules[name]!.position = position
            hosts[life]!.modules[name]!.sequences[topic] = sequence
            let appended = Relux.Appended(
                id: EffectID(module: name, position: position), topic: topic, sequence: sequence, caseName: "x",
                payload: [1, 2, 3], ancestry: cause?.path ?? [], memberVersion: host.version,
                recipients: host.recipients[topic] ?? [])
            step(life) { $0.append([appended], wallTime: 0, now: $1) }
        }
    }

    private mutating func deliver(_ effect: EffectRecord, _ id: EffectID, _ topic: Topic, to recipient: ModuleID, _ life: Int) {
        guard let module = hosts[life]?.modules[recipient] else { return }
        handledCount += 1
        let key = "\(id) \(recipient)"
        if effect.memberVersion < members[recipient]!.since { faults.append("\(key) was meant for the one before") }
        if settled.contains(key) { faults.append("\(key) was handled again after it was settled") }
        let stream = "\(id.module) \(topic) \(recipient) \(module.epoch)"
        if let last = lastHandled[stream], last >= effect.sequence { faults.append("\(key) came after \(last) of \(topic)") }
        lastHandled[stream] = effect.sequence
        hosts[life]!.modules[recipient]!.running += 1
        if random.chance(of: 20) { at(now + random.milliseconds(0...3), .emit(recipient, cause: .init(path: effect.ancestry + [id], epoch: module.epoch))) }
        let delivery = Delivery(id: id, topic: topic, sequence: effect.sequence)
        at(now + random.milliseconds(3...(random.chance(of: 10) ? 600 : 5)), .settle(life, recipient, module.epoch, delivery))
    }

    private mutating func settle(_ life: Int, _ recipient: ModuleID, _ epoch: Epoch, _ delivery: Delivery) {
        guard let host = hosts[life], host.modules[recipient]?.epoch == epoch else { return }
        hosts[life]!.modules[recipient]!.running -= 1
        let settled = Relux.Settled(
            id: delivery.id, topic: delivery.topic, sequence: delivery.sequence, recipient: recipient, result: .success,
            duration: .zero)
        step(life) { $0.settled([(settled, [])], capturing: [], of: recipient, now: $1) }
        finishLeaving(recipient, life)
    }

    // MARK: Membership

    private mutating func restart(_ id: HostID) {
        guard lives[id] == nil, !gone.contains(id) else { return }
        let life = nextLife
        nextLife += 1
        lives[id] = life
        // Markers by number are enough where all come from one process.
        let marker = UnsafeCounter()
        let core = BusCore(host: id) {
            marker.value += 1
            var bytes = [UInt8](repeating: UInt8(life), count: 16)
            bytes[0] = UInt8(marker.value & 0xff)
            bytes[1] = UInt8(marker.value >> 8 & 0xff)
            return bytes
        }
        hosts[life] = SimulatedHost(id: id, life: life, core: core)
        // Peers that were connected to the address reconnect and subscribe again, in byte order.
        for (other, host) in hosts.sorted(by: { $0.key < $1.key }) where other != life && host.connections.contains(id.rawValue) {
            for prefix in host.subscriptions.sorted(by: { $0.lexicographicallyPrecedes($1) }) {
                send(.subscription(at: life, from: other, prefix, isAdded: true), other, life)
            }
        }
        for name in members.keys.sorted() where members[name]?.host == id && members[name]?.isMember == true { join(name, life) }
        publishPicture()
    }

    private mutating func join(_ name: ModuleID, _ life: Int) {
        // It may have died of the module before this one.
        guard hosts[life] != nil else { return }
        members[name]!.epoch += 1
        if members[name]!.since == 0 { members[name]!.since = version + 1 }
        let member = members[name]!
        let epoch = Epoch(member.epoch)
        let ledger = disk.ledger(of: name)
        var sequences: [Topic: UInt64] = [:]
        for (topic, stream) in ledger.streams where !topic.isReserved {
            sequences[topic] = stream.head - (options.sabotage == .reuseSequences ? 2 : 0)
        }
        hosts[life]!.modules[name] = .init(epoch: epoch, position: max(ledger.position, epoch.start), sequences: sequences)
        let declaration = ModuleDeclaration(
            id: name, version: "1.0.0", kind: .domain, handles: member.handles, emits: member.emits)
        step(life) { $0.add(declaration, epoch: epoch, ledger: ledger, now: $1) }
    }

    private mutating func crash(_ id: HostID, isWritten: Bool = true) {
        guard let life = lives[id] else { return }
        if let host = hosts[life], isWritten, !host.core.hasUnwritten, options.sabotage == nil {
            for name in host.core.locals.keys.sorted() {
                let live = host.core.locals[name]!.ledger.summary
                let found = disk.ledger(of: name).summary
                if live != found { faults.append("\(name) was not what its journal says\n\(live)\n\(found)") }
            }
        }
        lives[id] = nil
        hosts[life] = nil
        known[life] = nil
        for other in known.keys { known[other]?[life] = nil }
        publishPicture()
        switch random.below(12) {
        case 0: at(now + random.milliseconds(2000...8000), .restart(id))
        case 1 where gone.isEmpty:
            gone.insert(id)
            at(now + random.milliseconds(0...2000), .bury(id))
        case 2:
            // Removed while it is dead, and declared again later.
            at(now + random.milliseconds(0...2000), .bury(id))
            at(now + random.milliseconds(2500...6000), .restart(id))
        default: at(now + random.milliseconds(50...700), .restart(id))
        }
    }

    private mutating func bury(_ id: HostID) {
        guard lives[id] == nil else { return }
        for (name, member) in members.sorted(by: { $0.key < $1.key }) where member.host == id && member.isMember {
            members[name]!.isMember = false
            members[name]!.since = 0
            removed.insert(name)
            if !gone.contains(id) { at(now + random.milliseconds(500...3000), .arrive(name)) }
        }
        publishPicture()
    }

    // MARK: Courier

    /// Questions and answers may get lost on the way, and both take a while.
    private mutating func askCourier(_ question: CourierQuestion, _ life: Int) {
        if options.sabotage == .noCourier || (!isCalm && random.chance(of: options.dropped)) { return }
        at(now + random.milliseconds(0...60), .question(life, question))
    }

    private mutating func ask(_ question: CourierQuestion, _ life: Int) {
        let answer = CourierAnswer(to: question, retired: Self.names.filter { members[$0]?.isMember == false }) { name in
            disk.batches[name] == nil ? nil : CourierLedger(ledger: disk.ledger(of: name), epoch: Epoch(members[name]?.epoch ?? 0))
        }
        if !isCalm, random.chance(of: options.dropped) { return }
        at(now + random.milliseconds(0...60), .answer(life, answer))
        if random.chance(of: options.doubled) { at(now + random.milliseconds(0...900), .answer(life, answer)) }
    }

    private mutating func leave(_ name: ModuleID) {
        guard let member = members[name], let life = lives[member.host], hosts[life]?.modules[name]?.isClosed == false
        else { return }
        hosts[life]!.modules[name]!.isClosed = true
        finishLeaving(name, life)
    }

    /// Its handlers are done: what it has said is served for a while, then its journal is closed and it is no member any more.
    private mutating func finishLeaving(_ name: ModuleID, _ life: Int) {
        guard let module = hosts[life]?.modules[name], module.isClosed, module.running == 0 else { return }
        hosts[life]!.modules[name] = nil
        at(now + .milliseconds(400), .cutOff(life, name))
        step(life) { $0.remove(name, now: $1) }
    }

    private mutating func left(_ name: ModuleID) {
        guard members[name]?.isMember == true else { return }
        members[name]!.isMember = false
        members[name]!.since = 0
        removed.insert(name)
        publishPicture()
        at(now + random.milliseconds(50...500), .arrive(name))
    }

    private mutating func arrive(_ name: ModuleID) {
        guard let member = members[name], !member.isMember, !gone.contains(member.host) else { return }
        members[name]!.isMember = true
        // Behind the picture that took it away, as every order of the broker.
        guard let life = lives[members[name]!.host] else { return }
        send(.join(life, name), 0, life)
    }

    private mutating func publishPicture() {
        version += 1
        let listed = members.filter { $0.value.isMember && $0.value.epoch > 0 }.sorted { $0.key < $1.key }
        let picture = ClusterPicture(
            version: version,
            members: listed.map { name, member in
                let isLive = lives[member.host].flatMap { hosts[$0]?.modules[name] } != nil
                return .init(
                    module: name, epoch: Epoch(member.epoch), since: options.sabotage == .ignoreSince ? 0 : member.since,
                    handles: member.handles,
                    emits: member.emits, provides: [], observes: [], host: isLive ? member.host : nil)
            },
            hosts: lives.keys.sorted().map { .init(id: $0, endpoint: $0.rawValue, tapEndpoint: "") })
        for life in lives.values.sorted() { send(.picture(life, picture), 0, life) }
    }

    // MARK: Network

    /// - Parameter writes: the step is one of the sending thread, which journals and sends; what others leave to be written waits for it.
    mutating func step(_ life: Int, writes: Bool = true, _ body: (inout BusCore, Duration) -> [BusCore.Action]) {
        guard hosts[life] != nil else { return }
        let actions = body(&hosts[life]!.core, now)
        if writes, !append(life, actions) { return }
        var packer = FramePacker()
        var local: [BusCore.Action] = []
        packer.pack(actions, into: &local)
        for action in local { perform(action, life) }
        for message in packer.finish().messages where !message.tapOnly { publish(message.bytes, life) }
        guard let host = hosts[life] else { return }
        if let due = host.core.nextTick, host.tickAt.map({ due < $0 }) ?? true {
            hosts[life]!.tickAt = due
            at(max(due, now), .tick(life))
        }
    }

    /// Writes down what the step has said; false when the host died of it, before or after.
    private mutating func append(_ life: Int, _ actions: [BusCore.Action]) -> Bool {
        let id = hosts[life]!.id
        let dies = options.crashes && !isCalm && random.below(400) == 0
        var records = hosts[life]!.core.takeUnwritten()
        if dies, random.chance(of: 50) {
            // Nothing of it has left, unless the frames go first.
            if options.sabotage == .publishBeforeAppend { publishAll(actions, life) }
            crash(id, isWritten: false)
            return false
        }
        if options.sabotage == .acknowledgeEarly { records.removeAll { if case .acked = $0.record { random.chance(of: 20) } else { false } } }
        if options.sabotage == .forgetCursor { records.removeAll { if case .settled = $0.record { random.chance(of: 10) } else { false } } }
        let parts = JournalPart.parts(of: records)
        // It may die between two journals.
        let written = dies && random.chance(of: 50) ? parts.prefix(random.below(parts.count + 1)) : parts[...]
        for part in written {
            disk.append(part)
            for entry in part.records { note(entry) }
        }
        if dies { crash(id, isWritten: written.count == parts.count) }
        return !dies
    }

    private mutating func publishAll(_ actions: [BusCore.Action], _ life: Int) {
        var packer = FramePacker()
        var local: [BusCore.Action] = []
        packer.pack(actions, into: &local)
        for message in packer.finish().messages where !message.tapOnly { publish(message.bytes, life) }
    }

    private mutating func note(_ entry: BusCore.Unwritten) {
        switch entry.record {
        case .effect(let effect):
            let recipients = hosts.values.lazy.compactMap { $0.core.locals[entry.module] }.first?.ledger.recipients[entry.topic]?.recipients
            accepted[EffectID(module: entry.module, position: effect.position)] = recipients ?? []
        case .settled(let record):
            guard let publisher = entry.topic.settledPublisher else { return }
            let key = "\(EffectID(module: publisher, position: record.position)) \(entry.module)"
            if !settled.insert(key).inserted { faults.append("\(key) was settled twice") }
        default: break
        }
    }

    private mutating func perform(_ action: BusCore.Action, _ life: Int) {
        switch action {
        case .deliver(let effect, let publisher, let topic, let recipient):
            deliver(effect, EffectID(module: publisher, position: effect.position), topic, to: recipient, life)
        case .left(let module): left(module)
        case .askCourier(let question): askCourier(question, life)
        case .connect(let endpoint):
            hosts[life]!.connections.append(endpoint)
            guard let peer = lives[HostID(rawValue: endpoint)] else { return }
            for prefix in hosts[life]!.subscriptions {
                send(.subscription(at: peer, from: life, prefix, isAdded: true), life, peer)
            }
        case .disconnect(let endpoint):
            hosts[life]!.connections.removeAll { $0 == endpoint }
            if let peer = lives[HostID(rawValue: endpoint)] { known[peer]?[life] = nil }
        case .subscribe(let prefix):
            hosts[life]!.subscriptions.append(prefix)
            tell(life, prefix, isAdded: true)
        case .unsubscribe(let prefix):
            guard let index = hosts[life]!.subscriptions.firstIndex(of: prefix) else { return }
            hosts[life]!.subscriptions.remove(at: index)
            tell(life, prefix, isAdded: false)
        case .publish, .replay, .ready, .snapshot, .joined, .overloaded, .settle, .interrupted, .handedOver, .expectHandOver: break
        }
    }

    private mutating func tell(_ life: Int, _ prefix: [UInt8], isAdded: Bool) {
        for endpoint in hosts[life]!.connections {
            guard let peer = lives[HostID(rawValue: endpoint)] else { continue }
            send(.subscription(at: peer, from: life, prefix, isAdded: isAdded), life, peer)
        }
    }

    private mutating func publish(_ bytes: [UInt8], _ life: Int) {
        if options.sabotage == .noRepair, bytes.starts(with: Array("~fetch".utf8)) { return }
        if options.sabotage == .noHead, bytes.starts(with: Array("~head".utf8)) { return }
        // All subscriptions but markers end with the separator, so that comparing whole prefixes is enough.
        let isMarker = bytes.first == 0xff
        let prefix = Array(bytes[...(bytes.firstIndex(of: 0) ?? 0)])
        for (peer, prefixes) in (known[life] ?? [:]).sorted(by: { $0.key < $1.key }) {
            guard hosts[peer] != nil, isMarker ? prefixes.contains(where: bytes.starts) : prefixes.contains(prefix)
            else { continue }
            if !isCalm, random.chance(of: options.dropped) { continue }
            if !isCalm, random.chance(of: options.reordered) {
                at(now + random.milliseconds(0...60), .frame(to: peer, bytes))
                continue
            }
            send(.frame(to: peer, bytes), life, peer)
            if !isCalm, random.chance(of: options.doubled) { send(.frame(to: peer, bytes), life, peer) }
        }
    }

    /// In order on its link.
    private mutating func send(_ event: Event, _ from: Int, _ to: Int) {
        let time = max(now + random.milliseconds(0...15), lastOnLink[[from, to]] ?? .zero)
        lastOnLink[[from, to]] = time
        at(time, event)
    }
}

/// Counts for one core. `@unchecked Sendable`: a simulation runs on one thread.
private final class UnsafeCounter: @unchecked Sendable {
    var value = 0
}
