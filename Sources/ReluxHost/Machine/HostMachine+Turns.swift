package import Relux
import ReluxControl

/// Turns take a module's own time and run one after the other.
extension HostMachine {
    /// How long a module that could not be set up waits before it is tried again.
    static let pause = Duration.milliseconds(500)

    mutating func begin(_ turn: Turn, _ now: Duration, _ bus: BusStatus) {
        switch turn {
        case .load(let directory, let kinds): load(directory, kinds)
        case .hello(let resumed): sayHello(resumed: resumed, now, bus)
        case .welcome(let epochs): welcome(epochs)
        case .leave(let id): leave(id, .removed)
        case .standBy(let id): standBy(id)
        case .handOver(let id, let older): handOver(id, older: older)
        case .serve(let id, let epoch): serve(id, epoch)
        case .again(let id, let epoch): tryAgain(id, epoch)
        }
    }

    // MARK: Loading

    private mutating func load(_ directory: String, _ kinds: ModuleKinds?) {
        // A hand-over may have left the module here, and it may be about to come back.
        if modules.values.contains(where: { $0.image.directory == directory }) { return }
        // An earlier refusal of the module is over with this attempt.
        refusals.removeAll { $0.module == HostedImage.moduleID(ofPlugin: directory) }
        step = .loading(directory: directory)
        actions.append(.load(directory: directory, kinds))
    }

    mutating func loaded(_ directory: String, _ outcome: LoadOutcome, _ now: Duration) {
        guard case .loading(directory) = step else { return }
        step = nil
        switch outcome {
        case .loaded(let image): modules[image.id] = Module(image: image)
        case .refused(let id, let code, let message):
            hinder(.refused)
            actions.append(.log("refused \(id): \(message)"))
            sayRefused(id, code, message, now)
        case .failed: hinder(.refused)
        }
    }

    // MARK: Setting up

    private mutating func welcome(_ epochs: [ModuleID: Epoch]) {
        for (id, module) in modules.sorted(by: { $0.key < $1.key }) {
            // A module that has no epoch and never had one is told later what it is here for.
            if case .loaded = module.life { continue }
            // A life that ends now is not announced.
            if module.life.isSetUp, let epoch = epochs[id], isNew(epoch, of: id) { continue }
            // A second welcome answers a repeated hello: the broker then knows no more than that the module is here.
            sayState(of: id)
            guard module.life.membership != nil else { continue }
            actions += [.sayStored(id), .sayBarrier(id)]
        }
        let epochs = epochs.filter { isNew($0.value, of: $0.key) }
        // Set up when the broker did not know it yet: it is served anew.
        let outdated = epochs.filter { modules[$0.key]?.life.isSetUp == true }.sorted { $0.key < $1.key }
        turns.insert(contentsOf: outdated.map { .serve($0.key, $0.value) }, at: 0)
        setUp(all: epochs.filter { modules[$0.key]?.life.isSetUp == false })
    }

    private mutating func setUp(all epochs: [ModuleID: Epoch]) {
        // A successor does not know which handlers ran in the process that it takes over from.
        let areTogether = epochs.keys.allSatisfy { modules[$0]?.life.isSuccessor == false }
        if !epochs.isEmpty { actions.append(.readTables(epochs.keys.sorted(), areTogether: areTogether)) }
        setUpNext(of: Welcome(waiting: epochs))
    }

    private mutating func setUpNext(of welcome: Welcome) {
        var welcome = welcome
        for (id, epoch) in welcome.waiting.sorted(by: { $0.key < $1.key }) {
            welcome.waiting[id] = nil
            guard let module = modules[id], !module.life.isSetUp, isWanted(id, epoch) else { continue }
            // A broker that was away when it gave an order to serve may have taken our word that we do.
            let attempt = Attempt(epoch: epoch, isHeld: module.life.isSuccessor)
            step = .settingUp(id, attempt, welcome: welcome)
            actions.append(.setUp(id, attempt))
            return
        }
        step = nil
    }

    private mutating func setUpAlone(_ id: ModuleID, _ attempt: Attempt) {
        // It does not know which handlers ran in another process, or in an earlier try.
        actions += [.readTables([id], areTogether: false), .setUp(id, attempt)]
        step = .settingUp(id, attempt, welcome: nil)
    }

    /// Takes the module over under that epoch.
    private mutating func serve(_ id: ModuleID, _ epoch: Epoch) {
        guard let module = modules[id] else { return actions.append(.send(.left(module: id))) }
        guard let known = module.life.membership else { return setUpAlone(id, Attempt(epoch: epoch, isHeld: true)) }
        if known.epoch == epoch { return sayState(of: id) }
        // The broker has begun another attempt after the one that came this far.
        giveUp(id, known, older: [:], next: epoch)
    }

    mutating func serveNext(_ id: ModuleID, _ epoch: Epoch) {
        guard modules[id] != nil, isWanted(id, epoch) else { return }
        setUpAlone(id, Attempt(epoch: epoch, isHeld: true))
    }

    /// Unless the module was removed meanwhile, or is to be set up under another epoch.
    private mutating func tryAgain(_ id: ModuleID, _ epoch: Epoch) {
        guard case .delayed(let attempt, _, _) = modules[id]?.life, attempt.epoch == epoch, isWanted(id, epoch) else { return }
        setUpAlone(id, attempt)
    }

    func isTriedAgain(_ id: ModuleID) -> Bool {
        if case .settingUp(id, _, _) = step { return true }
        return turns.contains { if case .again(id, _) = $0 { true } else { false } }
    }

    mutating func setUp(_ id: ModuleID, _ outcome: SetUpOutcome, _ now: Duration) {
        guard case .settingUp(id, let attempt, var welcome) = step else { return }
        step = nil
        settle(id, attempt, outcome, now)
        welcome?.done.insert(id)
        if let welcome { setUpNext(of: welcome) }
    }

    private mutating func settle(_ id: ModuleID, _ attempt: Attempt, _ outcome: SetUpOutcome, _ now: Duration) {
        guard modules[id] != nil else { return }
        switch outcome {
        case .done(let hasSuspects):
            hasServed = true
            joinStarted = now
            setLife(id, .joining(Membership(epoch: attempt.epoch, trial: hasSuspects ? .due : nil), unanswered: []))
            return actions.append(.sayStored(id))
        case .withdrawn: return
        case .delayed(let why):
            let life = ModuleLife.delayed(attempt, until: now + Self.pause, why: why)
            // Each order is answered, a further try under it only with news.
            if case .delayed(attempt, _, why) = modules[id]?.life {
                modules[id]?.life = life
            } else {
                actions.append(.log("\(id) waits: \(why)"))
                setLife(id, life)
            }
        case .outlived(let epoch, let why):
            actions.append(.log("\(id) waits for a later epoch: \(why)"))
            setLife(id, .outlived(by: epoch, isHeld: attempt.isHeld))
            actions.append(.send(.outlived(module: id, by: epoch)))
        case .failed(let code, let message):
            // With the rule's name in front, as the loader says it.
            let text = "\(code): \(message)"
            guard attempt.isHeld else {
                sayRefused(id, code, text, now)
                return refuse(id, code, message)
            }
            actions += [.log("\(id) is not served under epoch \(attempt.epoch): \(message)"), .send(.refused(module: id, code: code, message: text))]
            modules[id]?.life = .standby
        }
        if attempt.isHeld { actions.append(.standBy(id)) }
    }

    // MARK: Epochs

    /// The module is here, and no order that waits gives it another epoch. Asked when a set-up has taken its time.
    package func isWanted(_ id: ModuleID, _ epoch: Epoch) -> Bool {
        modules[id] != nil && turns.allSatisfy { turn in given(id, by: turn).map { $0 == epoch } ?? true }
    }

    /// The epoch that the latest order has given the module.
    func latestEpoch(of id: ModuleID) -> Epoch? {
        let waiting = turns.compactMap { given(id, by: $0) }.last
        if let waiting { return waiting }
        switch step {
        case .settingUp(id, let attempt, _): return attempt.epoch
        case .settingUp(_, _, let welcome?): if let epoch = welcome.waiting[id] { return epoch }
        case .handingOver(id, let next?), .cleaningUp(id, _, _, let next?): return next
        case nil, .loading, .settingUp, .leaving, .handingOver, .cleaningUp: break
        }
        if case .delayed(let attempt, _, _) = modules[id]?.life { return attempt.epoch }
        return modules[id]?.life.membership?.epoch
    }

    /// The epoch under which the module will be served here, or is being set up.
    func promisedEpoch(of id: ModuleID) -> Epoch? {
        for case .serve(id, let epoch) in turns.reversed() { return epoch }
        return switch step {
        case .settingUp(id, let attempt, welcome: nil) where attempt.isHeld: attempt.epoch
        case .handingOver(id, let next), .cleaningUp(id, _, _, let next): next
        case nil, .loading, .settingUp, .leaving, .handingOver, .cleaningUp: nil
        }
    }

    private func given(_ id: ModuleID, by turn: Turn) -> Epoch? {
        switch turn {
        case .serve(id, let epoch): epoch
        case .welcome(let epochs): epochs[id].flatMap { isNew($0, of: id) ? $0 : nil }
        case .load, .hello, .leave, .standBy, .handOver, .serve, .again: nil
        }
    }

    /// Later than all that the module has lived under in this process.
    private func isNew(_ epoch: Epoch, of id: ModuleID) -> Bool {
        epoch > modules[id]?.life.membership?.epoch ?? Epoch(0) && epoch > lastEpochs[id] ?? Epoch(0)
    }
}
