import Relux
@testable import ReluxBus
import ReluxPlugin

extension Simulation {
    mutating func handle(_ event: Event) {
        switch event {
        case .frame(let to, let bytes): step(to) { $0.receive(bytes, now: $1) }
        case .subscription(let at, let from, let prefix, let isAdded):
            guard hosts[at] != nil, hosts[from] != nil else { return }
            if isAdded {
                known[at, default: [:]][from, default: []].append(prefix)
                step(at) { $0.subscribed(prefix, now: $1) }
            } else if let index = known[at]?[from]?.firstIndex(of: prefix) {
                known[at]?[from]?.remove(at: index)
            }
        case .picture(let to, let picture): step(to) { $0.apply(picture, now: $1) }
        case .lost(let to, let module): step(to) { core, _ in core.lost(module) }
        case .tick(let life):
            hosts[life]?.tickAt = nil
            step(life) { $0.tick(now: $1) }
        case .settle(let life, let recipient, let epoch, let effect): settle(life, recipient, epoch, effect)
        case .emit(let module): emit(module)
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

    private mutating func emit(_ name: ModuleID) {
        guard let member = members[name], let life = lives[member.host], let module = hosts[life]?.modules[name],
            !module.isClosed, !member.emits.isEmpty
        else { return }
        for _ in 0...random.below(3) {
            let topic = member.emits[random.below(member.emits.count)]
            let host = hosts[life]!
            let position = host.modules[name]!.position + 1
            let sequence = host.modules[name]!.sequences[topic, default: 0] + 1
            hosts[life]!.modules[name]!.position = position
            hosts[life]!.modules[name]!.sequences[topic] = sequence
            let recipients = host.recipients[topic] ?? []
            let id = EffectID(module: name, position: position)
            let local = recipients.filter { host.modules[$0] != nil }
            hosts[life]!.accepted[id] = .init(outcomes: Dictionary(recipients.map { ($0, nil) }) { $1 })
            let appended = Relux.Appended(
                id: id, topic: topic, sequence: sequence, caseName: "x", payload: [1, 2, 3], memberVersion: host.version,
                remote: recipients.filter { host.modules[$0] == nil }, local: local)
            step(life) { $0.append([appended], wallTime: 0, now: $1) }
            for recipient in local { deliver(id, topic, sequence, to: recipient, life) }
        }
    }

    private mutating func deliver(_ id: EffectID, _ topic: Topic, _ sequence: UInt64, to recipient: ModuleID, _ life: Int) {
        guard let module = hosts[life]?.modules[recipient] else { return }
        let key = "\(id) at \(recipient) epoch \(module.epoch)"
        if !handled.insert(key).inserted { faults.append("\(key) was handled twice") }
        let stream = "\(id.module).\(id.position >> 40) \(topic) \(recipient) \(module.epoch)"
        if let last = lastHandled[stream], last >= sequence { faults.append("\(key) came after \(last) of \(topic)") }
        lastHandled[stream] = sequence
        hosts[life]!.modules[recipient]!.running += 1
        at(now + random.milliseconds(0...(random.chance(of: 10) ? 600 : 5)), .settle(life, recipient, module.epoch, id))
    }

    private mutating func settle(_ life: Int, _ recipient: ModuleID, _ epoch: Epoch, _ effect: EffectID) {
        guard let host = hosts[life], host.modules[recipient]?.epoch == epoch else { return }
        hosts[life]!.modules[recipient]!.running -= 1
        let isLocal = host.modules[effect.module] != nil
        if isLocal { hosts[life]!.end(effect, at: recipient, as: "settled") }
        step(life) {
            $0.settled(effect, by: recipient, status: .succeeded, duration: .zero, result: [], isLocal: isLocal, now: $1)
        }
        finishLeaving(recipient, life)
    }

    // MARK: Membership

    private mutating func restart(_ id: HostID) {
        guard lives[id] == nil else { return }
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
        members[name]!.epoch += 1
        if members[name]!.since == 0 { members[name]!.since = version + 1 }
        let member = members[name]!
        let epoch = Epoch(member.epoch)
        hosts[life]!.modules[name] = .init(epoch: epoch, position: member.epoch << 40)
        let declaration = ModuleDeclaration(
            id: name, version: "1.0.0", kind: .domain, handles: member.handles, emits: member.emits)
        step(life) { $0.add(declaration, epoch: epoch, now: $1) }
    }

    private mutating func crash(_ id: HostID) {
        guard let life = lives[id] else { return }
        lives[id] = nil
        hosts[life] = nil
        known[life] = nil
        for other in known.keys { known[other]?[life] = nil }
        for name in members.keys.sorted() where members[name]?.host == id && members[name]?.isMember == true {
            for other in lives.values.sorted() { send(.lost(other, name), 0, other) }
        }
        publishPicture()
        at(now + random.milliseconds(50...700), .restart(id))
    }

    private mutating func leave(_ name: ModuleID) {
        guard let member = members[name], let life = lives[member.host], hosts[life]?.modules[name]?.isClosed == false
        else { return }
        hosts[life]!.modules[name]!.isClosed = true
        finishLeaving(name, life)
    }

    private mutating func finishLeaving(_ name: ModuleID, _ life: Int) {
        guard let module = hosts[life]?.modules[name], module.isClosed, module.running == 0 else { return }
        hosts[life]!.modules[name] = nil
        for effect in hosts[life]!.accepted.keys { hosts[life]!.end(effect, at: name, as: "lost") }
        step(life) { $0.remove(name, now: $1) }
        members[name]!.isMember = false
        members[name]!.since = 0
        publishPicture()
    }

    private mutating func arrive(_ name: ModuleID) {
        guard members[name]?.isMember == false else { return }
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
                    module: name, epoch: Epoch(member.epoch), since: member.since, handles: member.handles,
                    emits: member.emits, provides: [], observes: [], host: isLive ? member.host : nil)
            },
            hosts: lives.keys.sorted().map { .init(id: $0, endpoint: $0.rawValue, tapEndpoint: "") })
        for life in lives.values.sorted() { send(.picture(life, picture), 0, life) }
    }

    // MARK: Network

    mutating func step(_ life: Int, _ body: (inout BusCore, Duration) -> [BusCore.Action]) {
        guard hosts[life] != nil else { return }
        let actions = body(&hosts[life]!.core, now)
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

    private mutating func perform(_ action: BusCore.Action, _ life: Int) {
        switch action {
        case .deliver(let effect, let publisher, let topic, let recipient):
            deliver(EffectID(module: publisher, position: effect.position), topic, effect.sequence, to: recipient, life)
        case .settle(let effect, _, let recipient, _): hosts[life]!.end(effect, at: recipient, as: "settled")
        case .lose(let module): hosts[life]!.lose(module)
        case .setMembership(let version, let recipients):
            hosts[life]!.version = version
            hosts[life]!.recipients = recipients
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
        case .publish, .replay, .ready, .snapshot, .joined, .overloaded: break
        }
    }

    private mutating func tell(_ life: Int, _ prefix: [UInt8], isAdded: Bool) {
        for endpoint in hosts[life]!.connections {
            guard let peer = lives[HostID(rawValue: endpoint)] else { continue }
            send(.subscription(at: peer, from: life, prefix, isAdded: isAdded), life, peer)
        }
    }

    private mutating func publish(_ bytes: [UInt8], _ life: Int) {
        if !options.isRepairing, bytes.starts(with: Array("~fetch".utf8)) { return }
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
