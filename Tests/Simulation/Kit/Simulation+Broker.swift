import Relux
@testable import ReluxBroker
import ReluxBus
import ReluxControl
import ReluxLedger
import ReluxPlugin
@testable import ReluxRegistry
import ReluxSupervisor
import ReluxTestKit
import ReluxWire

/// The broker's process: what its loop does around the registry.
extension Simulation {
    /// Takes up what the file says, through its coding, and what the journals say of epochs.
    mutating func bootBroker(_ life: Int) {
        guard brokerLife == life, broker == nil else { return }
        var registry: Registry
        do {
            if let file = registryFile {
                let snapshot = try CBOR.decode(RegistrySnapshot.self, from: CBOR.encode(file))
                registry = Registry(
                    configuration: Self.registryConfiguration, restoring: snapshot,
                    plugins: plugins.filter { snapshot.pluginDirectories.contains($0.key) }, now: now)
            } else {
                registry = Registry(configuration: Self.registryConfiguration)
            }
        } catch {
            faults.append("the registry's file cannot be read again: \(error)")
            return
        }
        if options.sabotage != .forgetJournals {
            registry.learn(
                written: disk.journals.mapValues(\.epoch).merging(nodeEpoch) { $1 },
                heard: options.sabotage == .forgetWitnesses ? [:] : disk.journals.keys.reduce(into: [:]) { $0[$1] = disk.heardLives(of: $1) })
        }
        // A broker that cannot write ends, and is started again.
        if isRegistryDiskFull { return endProcess(life, .exited(1)) }
        write(registry.snapshot)
        nodeEpoch = ["Cluster": registry.ownEpoch]
        broker = SimulatedBroker(life: life, registry: registry)
        at(now, .brokerTick(life))
        for host in hosts.keys.sorted() { at(later(0...100), .connected(host, life)) }
        if let supervisor { at(later(0...20), .connected(supervisor.life, life)) }
    }

    /// On the registry's disk, and what that means for who is a member.
    private mutating func write(_ snapshot: RegistrySnapshot) {
        registryFile = snapshot
        if options.copies { registryCopies.append(snapshot) }
        trace?("\(now) the registry's file is picture \(snapshot.pictureVersion): \(snapshot.modules.map { "\($0.id) \($0.declaration?.version ?? "undeclared") in \($0.host) \($0.epoch) \($0.state.phase) \($0.isMember ? "member since \($0.memberSince)" : "no member")" })")
        let records = Dictionary(snapshot.modules.filter(\.isMember).map { ($0.id, $0) }, uniquingKeysWith: { $1 })
        for name in Self.names {
            // A module that is removed and declared again at once is another member too.
            let before = members[name]!.since
            let since = records[name]?.memberSince ?? snapshot.pictureVersion + 1
            if records[name] != nil, since < before { faults.append("\(name) is a member since \(since), and was removed before \(before)") }
            members[name]!.since = since
            if records[name] != nil, members[name]!.memberships.last != since { members[name]!.memberships.append(since) }
            let wasMember = members[name]!.isMember
            members[name]!.isMember = records[name] != nil
            guard wasMember, since != before else { continue }
            members[name]!.farewells -= 1
            if members[name]!.farewells < 0 { faults.append("\(name) has lost its membership of \(before), and nobody wanted that") }
            removed.insert(name)
        }
    }

    mutating func brokerHears(_ event: Registry.Event, _ life: Int) {
        guard let broker, broker.life == life else { return }
        if broker.inbox.isEmpty { at(now + .microseconds(random.below(1000)), .brokerTurn(life)) }
        broker.inbox.append(event)
    }

    mutating func brokerTick(_ life: Int) {
        guard broker?.life == life else { return }
        if random.below(10) == 0 {
            let awake = hosts.keys.sorted().filter { frozen[$0].map { $0 <= now } ?? true && hosts[$0]?.hasBooted == true }
            if !awake.isEmpty { brokerHears(.heartbeats(awake.map { Self.connection(of: $0) }), life) }
        }
        brokerHears(.tick, life)
        at(now + .milliseconds(100), .brokerTick(life))
    }

    /// Where the broker dies in a turn in which it writes.
    private enum End: CaseIterable { case beforeTheWrite, behindTheWrite, amongTheOrders }

    private mutating func end(of ordered: [Registry.Action]) -> End? {
        guard brokerDies, !isCalm, ordered.contains(where: { if case .persist = $0 { true } else { false } }),
            random.below(options.sabotage == .ordersFirst ? 4 : 150) == 0
        else { return nil }
        return random.pick(End.allCases)
    }

    /// All that has arrived is judged at once, and what follows is done in order; it may die anywhere in it.
    mutating func brokerTurn(_ life: Int) {
        guard let broker, broker.life == life else { return }
        let events = broker.inbox
        broker.inbox = []
        let ordered = broker.registry.on(events, now: now)
        checkAbsences()
        let end = end(of: ordered)
        for action in options.sabotage == .ordersFirst ? ordered[...] : broker.gate.ahead(of: ordered) { perform(action, life) }
        if end == .beforeTheWrite { return endProcess(life, .signalled(9)) }
        guard let actions = pass(ordered, of: broker) else { return endProcess(life, .exited(1)) }
        if end == .behindTheWrite { return endProcess(life, .signalled(9)) }
        if options.sabotage == .ordersFirst { return }
        if broker.registry.outlivedBy != nil, !broker.gate.isHeld { return endProcess(life, .exited(0)) }
        for action in actions.prefix(end == nil ? actions.count : random.below(actions.count + 1)) { perform(action, life) }
        if end != nil { endProcess(life, .signalled(9)) }
    }

    /// Writes what has to be on the disk before; returns what may be done then, nil when the broker cannot go on.
    private mutating func pass(_ ordered: [Registry.Action], of broker: SimulatedBroker) -> [Registry.Action]? {
        var written: RegistrySnapshot?
        let isFull = isRegistryDiskFull
        let actions = try? broker.gate.pass(ordered, now: now) { snapshot throws(RegistryFileError) in
            if isFull { throw RegistryFileError(.unwritable, "no room", mayPass: true) }
            written = snapshot
        }
        if let written { write(written) }
        guard !broker.gate.isHeld else { return actions }
        if broker.pictureVersion != broker.registry.pictureVersion {
            broker.pictureVersion = broker.registry.pictureVersion
            pictured[broker.registry.pictureVersion, default: []].append(broker.registry.picture.recipients)
            broker.members = Dictionary(broker.registry.picture.members.map { ($0.module, $0) }, uniquingKeysWith: { $1 })
        }
        broker.writers = broker.registry.writers
        return actions
    }

    private mutating func perform(_ action: Registry.Action, _ life: Int) {
        switch action {
        case .toHosts(let connections, let order):
            if case .picture(let picture) = order { noteRemoved(picture) }
            for connection in connections {
                let host = Self.life(of: connection)
                if hosts[host] != nil { send(.order(host, falsified(order)), life, host) }
            }
        case .toSupervisor(let connection, let order):
            let supervisor = Self.life(of: connection)
            if self.supervisor?.life == supervisor { send(.obey(supervisor, order), life, supervisor) }
        case .persist, .answer, .publish, .emit, .refused: break
        }
    }

    /// In one turn a member may come and go: its picture is sent behind the file that says so, and what is accepted for it is lost with it.
    private mutating func noteRemoved(_ picture: ClusterPicture) {
        guard let registryFile, picture.version < registryFile.pictureVersion else { return }
        for member in picture.members where member.since > 0 {
            let record = registryFile.modules.first { $0.id == member.module && $0.isMember }
            if record?.memberSince != member.since { removed.insert(member.module) }
        }
    }

    private func falsified(_ order: HostOrder) -> HostOrder {
        guard options.sabotage == .ignoreSince || options.sabotage == .hideAbsence else { return order }
        func forgetful(_ picture: ClusterPicture) -> ClusterPicture {
            var picture = picture
            for index in picture.members.indices {
                if options.sabotage == .ignoreSince { picture.members[index].since = 0 } else { picture.members[index].absence = nil }
            }
            return picture
        }
        return switch order {
        case .picture(let picture): .picture(forgetful(picture))
        case .welcome(let epochs, let picture): .welcome(epochs: epochs, picture: forgetful(picture))
        default: order
        }
    }

    // MARK: Courier

    /// Questions and answers may get lost on the way, and both take a while.
    mutating func askCourier(_ question: CourierQuestion, _ life: Int) {
        guard let broker, options.sabotage != .noCourier, isCalm || !random.chance(of: options.dropped) else {
            trace?("\(now) question of \(life) is lost: \(question)")
            return
        }
        at(later(0...60), .question(life, question, broker.life))
    }

    mutating func ask(_ question: CourierQuestion, _ life: Int, _ brokerLife: Int) {
        guard let broker, broker.life == brokerLife, let members = broker.members,
            let answer = SimulatedShelf(disk: disk).answer(question, members: members, writers: broker.writers)
        else { return }
        if !isCalm, random.chance(of: options.dropped) {
            trace?("\(now) answer to \(life) is lost: \(question)")
            return
        }
        at(later(0...60), .answer(life, answer))
        if random.chance(of: options.doubled) { at(later(0...900), .answer(life, answer)) }
    }
}

/// The journals for the courier: an appended record is read at once.
private struct SimulatedShelf: CourierJournals {
    let disk: SimulatedDisk

    var named: [ModuleID] { Array(disk.journals.keys) }
    func ledger(of module: ModuleID) -> CourierLedger? {
        disk.journals[module].map { CourierLedger(ledger: $0.ledger, epoch: $0.epoch) }
    }
    func isOnDisk(_ module: ModuleID) -> Bool {
        disk.writeBack(module)
        return true
    }
    func hasJournal(_ module: ModuleID) -> Bool { disk.journals[module] != nil }
}
