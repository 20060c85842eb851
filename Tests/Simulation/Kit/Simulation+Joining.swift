import Relux
@testable import ReluxBroker
@testable import ReluxBus
import ReluxJournal
import ReluxPlugin

/// A module comes to a process: its journal is opened, it joins the bus, and it is opened when all hear each other and the broker says so.
extension Simulation {
    /// As long a module waits for those who have to hear it.
    private static let hearingPatience = Duration.seconds(1)

    mutating func welcome(_ epochs: [ModuleID: Epoch], _ life: Int) {
        guard let host = hosts[life] else { return }
        for (name, epoch) in epochs.sorted(by: { $0.key < $1.key }) {
            guard let image = host.images[name], host.modules[name] == nil, image.parting == nil, epoch > host.lastEpochs[name] ?? Epoch(0) else { continue }
            if image.isSuccessor { serve(name, life, epoch) } else { join(name, life, epoch) }
        }
        beginJoining(life)
        for (name, image) in host.images.sorted(by: { $0.key < $1.key }) {
            let isSetUp = host.modules[name] != nil
            if image.phase == .starting, !isSetUp { continue }
            say(image.phase == .starting ? .recovering : image.phase, of: name, life)
            if isSetUp { sayStored(name, life) }
        }
        proceedJoining(life)
    }

    private mutating func sayStored(_ name: ModuleID, _ life: Int) {
        say(.stored(module: name, epoch: hosts[life]?.modules[name]?.epoch, [StoredShape(name: SimulatedState.name, version: 1)]), life)
    }

    private mutating func join(_ name: ModuleID, _ life: Int, _ epoch: Epoch) {
        hosts[life]?.images[name]?.ordered = epoch
        switch setUp(name, life, epoch, isHeld: false) {
        case .isDone: break
        case .mustWait:
            say(.recovering, of: name, life)
            at(now + .milliseconds(500), .openAgain(life, name, epoch))
        case .isOutlived(let written):
            say(.recovering, of: name, life)
            say(.outlived(module: name, by: written), life)
        case .isRefused: refuseHere(name, life)
        }
    }

    private mutating func refuseHere(_ name: ModuleID, _ life: Int) {
        refuse(name, life, "host.journal")
        hosts[life]?.images[name] = nil
    }

    /// Another process still had the journal.
    mutating func openAgain(_ name: ModuleID, _ life: Int, _ epoch: Epoch) {
        guard let host = hosts[life], !host.isEnding, let image = host.images[name], host.modules[name] == nil, image.phase == .recovering,
            image.ordered == epoch
        else { return }
        if image.isSuccessor { return serve(name, life, epoch) }
        join(name, life, epoch)
        if host.modules[name] != nil { say(.recovering, of: name, life) }
        proceedJoining(life)
    }

    // MARK: Taking over

    mutating func standBy(_ name: ModuleID, _ life: Int) {
        guard let host = hosts[life], let image = host.images[name] else { return }
        host.images[name]!.isSuccessor = true
        if host.modules[name] == nil {
            host.hasServed = true
            step(life) { $0.standBy(image.declaration, now: $1) }
            hosts[life]?.images[name]?.phase = .standby
        }
        if let phase = hosts[life]?.images[name]?.phase { say(phase, of: name, life) }
    }

    mutating func serve(_ name: ModuleID, _ life: Int, _ epoch: Epoch) {
        guard let host = hosts[life] else { return }
        guard let image = host.images[name] else { return say(.left(module: name), life) }
        if let known = image.epoch, host.modules[name] != nil {
            guard known != epoch else {
                host.images[name]!.promised = nil
                return say(image.phase, of: name, life)
            }
            // The broker has begun another attempt than the one that came this far.
            host.turns.insert(.serve(name, epoch), at: 0)
            return handOver(name, life, .givenUp)
        }
        host.images[name]!.isSuccessor = true
        host.images[name]!.ordered = epoch
        defer { if hosts[life]?.images[name]?.promised == epoch { hosts[life]?.images[name]?.promised = nil } }
        // What it makes of the state may fail, and then it stands by again.
        let isUnable = !isCalm && isHandedOver(name, to: host.id, in: .serving) && random.chance(of: 10)
        switch isUnable ? .isRefused : setUp(name, life, epoch, isHeld: true) {
        case .isDone:
            beginJoining(life)
            say(.recovering, of: name, life)
            sayStored(name, life)
            proceedJoining(life)
        case .mustWait:
            step(life) { $0.standBy(image.declaration, now: $1) }
            say(.recovering, of: name, life)
            at(now + .milliseconds(500), .openAgain(life, name, epoch))
        case .isOutlived(let written):
            host.images[name]!.phase = .standby
            step(life) { $0.standBy(image.declaration, now: $1) }
            say(.recovering, of: name, life)
            say(.outlived(module: name, by: written), life)
        case .isRefused:
            host.images[name]!.phase = .standby
            step(life) { $0.standBy(image.declaration, now: $1) }
            say(.refused(module: name, code: "host.journal", message: "by chance"), life)
        }
    }

    private enum SetUp {
        case isDone, mustWait, isRefused
        /// The journal was written under that epoch in another process.
        case isOutlived(Epoch)
    }

    private mutating func setUp(_ name: ModuleID, _ life: Int, _ epoch: Epoch, isHeld: Bool) -> SetUp {
        guard let host = hosts[life], let declaration = host.images[name]?.declaration else { return .isRefused }
        let found = disk.journals[name]?.end ?? JournalEnd(opened: Epoch(0))
        do {
            try disk.open(name, by: life, epoch: epoch)
        } catch {
            trace?("\(now) the journal of \(name) is refused to \(host.id): \(error)")
            return switch error {
            case .locked: .mustWait
            case .stale(let written): .isOutlived(written)
            }
        }
        if let missing = host.known[name]?.missing(behind: found, before: epoch) {
            let gone = GoneRecord(topic: .lives(of: name), range: missing)
            disk.append([Said(module: name, topic: GoneRecord.topic, record: .gone(gone))], of: name) { _, _ in }
        }
        let ledger = disk.ledger(of: name)
        var sequences: [Topic: UInt64] = [:]
        for (topic, stream) in ledger.streams where !topic.isReserved {
            sequences[topic] = stream.head
        }
        let picture = host.core.picture?.version ?? 0
        var module = SimulatedHost.Module(
            epoch: epoch, life: epoch.rawValue, since: members[name]!.memberships.last { $0 <= picture } ?? 0, position: max(ledger.position, epoch.start),
            sequences: sequences)
        module.state = restore(ledger, of: name)
        host.modules[name] = module
        host.images[name]!.epoch = epoch
        host.hasServed = true
        places[name] = host.id
        step(life) { $0.add(declaration, epoch: epoch, ledger: ledger, life: epoch.rawValue, isHeld: isHeld, now: $1) }
        return .isDone
    }

    // MARK: Opening

    private mutating func beginJoining(_ life: Int) {
        hosts[life]?.joinStarted = now
        at(now + Self.hearingPatience + .milliseconds(1), .recheck(life))
    }

    /// Every host that must be heard has answered, and those that must hear us have asked or had their time: wait for the order.
    mutating func proceedJoining(_ life: Int) {
        guard let host = hosts[life], host.isWelcome, let joinStarted = host.joinStarted, host.core.isJoined,
            host.core.isHeard || now - joinStarted > Self.hearingPatience
        else { return }
        for (name, image) in host.images.sorted(by: { $0.key < $1.key }) where image.phase == .recovering && host.modules[name] != nil {
            say(.waiting, of: name, life)
            openIfDue(name, life)
        }
        host.isJoining = host.images.values.contains { $0.phase == .recovering }
    }

    mutating func openIfDue(_ name: ModuleID, _ life: Int) {
        guard let host = hosts[life], let image = host.images[name], image.mayProceed, image.phase == .waiting, host.modules[name] != nil
        else { return }
        // Said first: the sending thread may die of what it accepts now.
        say(.ready, of: name, life)
        host.modules[name]!.isOpen = true
        let early = host.modules[name]!.early
        host.modules[name]!.early = []
        for (effect, id, topic) in early { deliver(effect, id, topic, to: name, life) }
        step(life) { $0.open(name, now: $1) }
    }
}
