import Relux
@testable import ReluxBroker
@testable import ReluxBus
import ReluxPlugin
import ReluxWire

/// A host as the broker has it: says hello, does as it is told, one thing after the other where that takes time.
extension Simulation {
    mutating func say(_ message: HostMessage, _ life: Int) {
        guard let host = hosts[life] else { return }
        guard let broker, host.line.broker == broker.life else { return host.line.unsent.append(message) }
        send(.toBroker(broker.life, .host(Self.connection(of: life), message)), life, broker.life)
    }

    mutating func say(_ phase: ModuleState.Phase, of name: ModuleID, _ life: Int) {
        guard let host = hosts[life], host.images[name] != nil else { return }
        host.images[name]!.phase = phase
        if phase == .recovering { host.isJoining = true }
        say(.state(module: name, state: ModuleState(phase)), life)
    }

    mutating func sayHello(_ life: Int, resumed: Bool) {
        guard let host = hosts[life] else { return }
        let modules = host.images.sorted { $0.key < $1.key }.map { name, image in
            // Under a promised epoch it recovers, whatever its life before is still doing.
            let isOver = image.promised != nil && image.promised != image.epoch
            return HostHello.Module(
                declaration: image.declaration, imports: Self.imports(of: image.declaration.id), epoch: image.promised ?? image.epoch,
                ended: host.lastEpochs[name], state: ModuleState(isOver ? .recovering : image.phase))
        }
        say(
            .hello(
                HostHello(
                    host: host.id, pid: Int32(life), instance: "host-\(life)", endpoint: host.id.rawValue, tapEndpoint: "", modules: modules,
                    resumed: resumed, pictureVersion: host.core.picture?.version ?? 0)), life)
        sayRefusals(life)
    }

    private mutating func sayRefusals(_ life: Int) {
        for refusal in (hosts[life]?.refusals ?? [:]).sorted(by: { $0.key < $1.key }).map(\.value) { say(refusal, life) }
    }

    /// Once a second: what has not been answered.
    mutating func sayAgain(_ life: Int) {
        guard let host = hosts[life], !host.isEnding else { return }
        if !host.isWelcome { sayHello(life, resumed: false) } else { sayRefusals(life) }
        if !host.isWelcome || !host.refusals.isEmpty { at(now + .seconds(1), .sayAgain(life)) }
    }

    mutating func obey(_ order: HostOrder, _ life: Int) {
        if case .ping = order { return say(.pong(stalled: []), life) }
        guard let host = hosts[life], !host.isEnding else { return }
        switch order {
        case .ping: break
        case .knownLives(let lives): if options.sabotage != .forgetLives { host.known.merge(lives) { $1 } }
        case .introduce: sayHello(life, resumed: host.isWelcome)
        case .welcome(let epochs, let picture):
            host.isWelcome = true
            see(picture, life)
            for (name, epoch) in epochs where host.modules[name] == nil && host.images[name]?.promised != epoch {
                guard epoch > host.lastEpochs[name] ?? Epoch(0) else { continue }
                host.images[name]?.mayProceed = false
                host.images[name]?.ordered = epoch
            }
            take(.welcome(epochs), life)
        case .picture(let picture): see(picture, life)
        case .refuse(let name, let code, _):
            guard host.modules[name] == nil, host.images[name]?.parting == nil else { return }
            if host.hindrance != 75 { host.hindrance = code == HostOrder.nameTaken ? 75 : 78 }
            host.images[name] = nil
            endIfEmpty(life)
        case .refusalNoted(let name):
            host.refusals[name] = nil
            endIfEmpty(life)
        case .proceed(let name):
            guard host.images[name] != nil else { return }
            host.images[name]!.mayProceed = true
            if host.images[name]!.phase == .ready { say(.ready, of: name, life) }
            openIfDue(name, life)
        case .drain(let name): take(.leave(name), life)
        case .standby(let name): take(.standBy(name), life)
        case .handOver(let name, _): take(.handOver(name), life)
        case .serve(let name, let epoch):
            host.images[name]?.promised = epoch
            host.images[name]?.ordered = epoch
            if host.images[name]?.epoch != epoch { host.images[name]?.mayProceed = false }
            take(.serve(name, epoch), life)
        case .load(let directory, _): take(.load(directory), life)
        case .stop: end(life, .ending)
        case .courier, .journalShares, .resolve: break
        }
    }

    private mutating func see(_ picture: ClusterPicture, _ life: Int) {
        guard let host = hosts[life], host.version <= picture.version else { return }
        host.version = picture.version
        host.recipients = picture.recipients
        step(life) { $0.apply(picture, now: $1) }
    }

    private mutating func take(_ turn: SimulatedHost.Turn, _ life: Int) {
        hosts[life]?.turns.append(turn)
        nextTurn(life)
    }

    mutating func nextTurn(_ life: Int) {
        while let host = hosts[life], !host.isEnding, host.busy == nil, !host.turns.isEmpty {
            switch host.turns.removeFirst() {
            case .welcome(let epochs): welcome(epochs, life)
            case .leave(let name): leave(name, life, .removed)
            case .standBy(let name): standBy(name, life)
            case .handOver(let name): handOver(name, life)
            case .serve(let name, let epoch): serve(name, life, epoch)
            case .load(let directory):
                load(directory, life)
                sayHello(life, resumed: true)
            }
            endIfEmpty(life)
        }
    }

    // MARK: Images

    mutating func boot(_ life: Int) {
        guard let host = hosts[life] else { return }
        host.hasBooted = true
        for directory in host.plugins { load(directory, life) }
        if let broker { connected(life, broker.life) }
        sayHello(life, resumed: false)
        at(now + .seconds(1), .sayAgain(life))
    }

    private mutating func load(_ directory: String, _ life: Int) {
        guard let host = hosts[life], case .manifest(let declaration, _, _, _, _) = plugins[directory] else { return }
        let name = declaration.id
        if host.images[name]?.declaration == declaration { return }
        host.refusals[name] = nil
        // Once in a while a successor cannot be loaded; what was loaded once can be again.
        let isNew = loaded.insert("\(host.id) \(directory)").inserted
        if isNew, !isCalm, isHandedOver(name, to: host.id, in: .preparing), random.chance(of: 10) { return refuse(name, life, "host.load") }
        host.images[name] = SimulatedHost.Image(declaration: declaration)
    }

    func isHandedOver(_ name: ModuleID, to host: HostID, in stage: Handover.Stage) -> Bool {
        broker?.registry.handovers[name].map { $0.to == host && $0.stage == stage } ?? false
    }

    mutating func refuse(_ name: ModuleID, _ life: Int, _ code: String) {
        guard let host = hosts[life] else { return }
        let refusal = HostMessage.refused(module: name, code: code, message: "\(code): by chance")
        if host.refusals.isEmpty, host.isWelcome { at(now + .seconds(1), .sayAgain(life)) }
        host.refusals[name] = refusal
        if host.hindrance != 75 { host.hindrance = 78 }
        if host.isWelcome { say(refusal, life) }
    }

    mutating func endIfEmpty(_ life: Int) {
        guard let host = hosts[life], host.isWelcome, host.images.isEmpty, host.refusals.isEmpty, host.turns.isEmpty else { return }
        end(life, .ending)
    }
}
