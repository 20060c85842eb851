import Relux
@testable import ReluxBus
import ReluxControl
@testable import ReluxHost
import ReluxPlugin
@testable import ReluxRegistry
import ReluxTestKit
import ReluxWire

/// A host process: the machine that production runs, and the system that does as it says.
extension Simulation {
    mutating func say(_ message: HostMessage, _ life: Int) {
        guard let host = hosts[life] else { return }
        guard let broker, host.line.broker == broker.life else { return host.line.unsent.append(message) }
        send(.toBroker(broker.life, .host(Self.connection(of: life), message)), life, broker.life)
    }

    mutating func boot(_ life: Int) {
        guard let host = hosts[life] else { return }
        host.hasBooted = true
        if let broker { connected(life, broker.life) }
        take(.begin(linked: [], plugins: host.plugins, nil), life)
    }

    mutating func obey(_ order: HostOrder, _ life: Int) {
        if case .ping = order { return say(.pong(stalled: []), life) }
        switch order {
        case .knownLives(let lives): if options.sabotage != .forgetLives { hosts[life]?.known.merge(lives) { $1 } }
        case .welcome(_, let picture), .picture(let picture): see(picture, life)
        default: break
        }
        take(.order(order), life)
    }

    private mutating func see(_ picture: ClusterPicture, _ life: Int) {
        guard let host = hosts[life], host.version <= picture.version else { return }
        host.version = picture.version
        host.recipients = picture.recipients
        step(life) { $0.apply(picture, now: $1) }
    }

    mutating func take(_ event: HostMachine.Event, _ life: Int) {
        guard let host = hosts[life] else { return }
        host.heard = [host.core.isJoined, host.core.isHeard]
        let suspects = options.sabotage == .forgetTrials ? [] : host.suspects.filter { $0.value > now }.keys.sorted()
        let bus = BusStatus(
            isJoined: host.core.isJoined, isHeard: host.core.isHeard, unanswered: host.core.unansweredHosts, suspects: Set(suspects),
            pictureVersion: host.core.membership.picture?.version ?? 0)
        for action in host.machine.on(event, now: now - host.born, bus: bus) { perform(action, life) }
        guard let due = host.machine.deadline(after: now - host.born).map({ $0 + host.born }), host.machineTickAt.map({ $0 > due }) ?? true else { return }
        host.machineTickAt = due
        at(due, .machineTick(life))
    }

    mutating func machineTick(_ life: Int) {
        hosts[life]?.machineTickAt = nil
        take(.tick, life)
    }

    /// The machine is told when hosts have answered; it is not asked to wait for others where it does not.
    mutating func noteHeard(_ life: Int) {
        guard let host = hosts[life], host.heard != [host.core.isJoined, host.core.isHeard] else { return }
        host.heard = [host.core.isJoined, host.core.isHeard]
        at(now, .machine(life, .heard))
    }

    private mutating func perform(_ action: HostMachine.Action, _ life: Int) {
        guard let host = hosts[life] else { return }
        switch action {
        case .send(let message): say(message, life)
        case .load(let directory, _): at(later(0...20), .machine(life, .loaded(directory: directory, load(directory, for: host))))
        case .setUp(let name, let attempt):
            // Two processes that write one journal do so for longer when the second one begins at once.
            let delay = options.sabotage == .noFencing ? 0 : random.chance(of: 10) ? 700 : 20
            at(later(0...delay), .setUp(life, name, attempt))
        case .standBy(let name): if let declaration = declaration(of: name, host) { step(life) { $0.standBy(declaration, now: $1) } }
        case .standDown(let name): step(life) { $0.standDown(name, now: $1) }
        case .open(let name): open(name, life)
        case .handOver(let name, _): beginDrain(name, life, .handedOver)
        case .leave(let name, let kind): beginDrain(name, life, kind)
        case .sayStored(let name):
            say(.stored(module: name, epoch: host.machine.modules[name]?.life.membership?.epoch, [StoredShape(name: SimulatedState.name, version: 1)]), life)
        case .lookAgain: at(now, .machine(life, .empty))
        // Behind what was said last.
        case .exit(let end): at(later(0...20), .exit(life, end.status))
        case .log(let line): trace?("\(now) \(host.id): \(line)")
        case .readTables, .opened, .release, .sayBarrier, .sayTotals, .beginEnd: break
        }
    }

    func declaration(of name: ModuleID, _ host: SimulatedHost) -> ModuleDeclaration? { host.machine.modules[name]?.image.declaration }

    /// Once in a while a successor cannot be loaded; what was loaded once can be again.
    private mutating func load(_ directory: String, for host: SimulatedHost) -> HostMachine.LoadOutcome {
        guard case .manifest(let declaration, let imports, _, _, _) = plugins[directory] else { return .failed }
        let isNew = loaded.insert("\(host.id) \(directory)").inserted
        if isNew, !isCalm, isHandedOver(declaration.id, to: host.id, in: .preparing), random.chance(of: 10) {
            return .refused(declaration.id, code: "host.load", message: "host.load: by chance")
        }
        return .loaded(HostedImage(declaration, imports: imports, directory: directory))
    }

    func isHandedOver(_ name: ModuleID, to host: HostID, in stage: Handover.Stage) -> Bool {
        broker?.registry.handovers[name].map { $0.to == host && $0.stage == stage } ?? false
    }
}
