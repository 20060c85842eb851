import Relux
import ReluxControl

/// The broker's orders and the ticks of the clock.
extension HostMachine {
    private static let helloInterval = Duration.milliseconds(100)
    private static let answerPatience = Duration.seconds(1)
    private static let refusalInterval = Duration.seconds(1)

    /// The picture, the courier's answers, shares of the disk and resolutions are about the bus and change nothing here.
    mutating func obey(_ order: HostOrder, _ now: Duration, _ bus: BusStatus) {
        switch order {
        case .ping, .knownLives, .picture, .courier, .journalShares, .resolve, .schedule: break
        case .introduce: owesHello = true
        case .welcome(let epochs, _):
            isWelcome = true
            turns.append(.welcome(epochs))
        case .refuse(let module, let code, let message): refuse(module, code, message)
        case .refusalNoted(let module): refusals.removeAll { $0.module == module }
        case .proceed(let module):
            let epoch = latestEpoch(of: module)
            modules[module]?.permit = epoch
            if case .ready = modules[module]?.life { sayState(of: module) }
            openIfDue(module, now)
        case .drain(let module): turns.append(.leave(module))
        case .standby(let module): turns.append(.standBy(module))
        case .handOver(let module, let older): turns.append(.handOver(module, older: older))
        case .serve(let module, let epoch): turns.append(.serve(module, epoch))
        case .load(let directory, let kinds): turns += [.load(directory: directory, kinds), .hello(resumed: true)]
        case .stop: end(.asked, why: "", now)
        }
        if ending == nil { sayOwedHello(now, bus) }
    }

    mutating func tick(_ now: Duration, _ bus: BusStatus) {
        if !isWelcome, let helloSaidAt, now - helloSaidAt >= Self.answerPatience { sayHello(resumed: false, now, bus) }
        sayOwedHello(now, bus)
        sayRefusalsAgain(now)
        giveUpRefusals(now)
        for (id, module) in modules.sorted(by: { $0.key < $1.key }) {
            if case .delayed(let attempt, let until, _) = module.life, until <= now, !isTriedAgain(id) { turns.append(.again(id, attempt.epoch)) }
        }
        if case .cleaningUp(let id, _, let since, let next) = step, now - since >= settings.cleanUpLimit {
            actions.append(.log("the clean-up of \(id) has taken \(DurationText.print(settings.cleanUpLimit)); what waits for it goes on"))
            afterCleanUp(of: id, next)
        }
        // Also when no trial is left: the module that opened last may have found it over.
        for id in modules.keys.sorted() { openIfDue(id, now) }
    }

    /// When a tick changes something; nil while only events do.
    package func deadline(after now: Duration) -> Duration? {
        var times: [Duration] = []
        if let helloSaidAt, !isWelcome { times.append(helloSaidAt + Self.answerPatience) }
        if let helloSaidAt, owesHello { times.append(helloSaidAt + Self.helloInterval) }
        if isWelcome, !refusals.isEmpty { times.append(refusalsSaidAt + Self.refusalInterval) }
        if let joinStarted { times += [joinStarted + Self.answerPatience, joinStarted + settings.hearingPatience] }
        if case .cleaningUp(_, _, let since, _) = step { times.append(since + settings.cleanUpLimit) }
        for module in modules.values {
            if case .delayed(_, let until, _) = module.life { times.append(until) }
            if case .running(let since) = module.life.membership?.trial { times.append(since + Self.trialPatience) }
        }
        return times.filter { $0 > now }.min()
    }

    // MARK: Greeting

    /// One hello answers all that was said to a broker that did not know us.
    private mutating func sayOwedHello(_ now: Duration, _ bus: BusStatus) {
        guard owesHello, let helloSaidAt, now - helloSaidAt >= Self.helloInterval else { return }
        sayHello(resumed: isWelcome, now, bus)
    }

    mutating func sayHello(resumed: Bool, _ now: Duration, _ bus: BusStatus) {
        (helloSaidAt, owesHello, refusalsSaidAt) = (now, false, now)
        let modules = modules.sorted { $0.key < $1.key }.map { id, module in
            // Under a promised epoch it recovers, whatever its life before is still doing.
            let known = module.life.membership?.epoch
            let promised = promisedEpoch(of: id).flatMap { $0 == known ? nil : $0 }
            return HostHello.Module(
                declaration: module.image.declaration, imports: module.image.imports, epoch: promised ?? known,
                ended: lastEpochs[id], state: promised == nil ? module.life.state : ModuleState(.recovering))
        }
        actions.append(
            .send(
                .hello(
                    HostHello(
                        host: identity.host, pid: identity.pid, start: identity.start, instance: identity.instance, endpoint: identity.endpoint,
                        tapEndpoint: identity.tapEndpoint, modules: modules, resumed: resumed, pictureVersion: bus.pictureVersion,
                        ageMilliseconds: UInt64(max(0, now / .milliseconds(1)))))))
        for refusal in refusals { actions.append(.send(refusal.said)) }
    }

    // MARK: Refusing

    /// The broker does not take the module, or the module broke a rule when it was made.
    mutating func refuse(_ id: ModuleID, _ code: String, _ message: String) {
        actions.append(.log("refused \(id): \(code): \(message)"))
        if let module = modules[id], module.life.isSetUp { return }
        hinder(code == HostOrder.nameTaken ? .turnedAway : .refused)
        remove(id)
    }

    /// A process that was turned away is to come again, whatever was refused beside it.
    mutating func hinder(_ end: HostEnd) {
        if hindrance != .turnedAway { hindrance = end }
    }

    /// Kept until the broker has noted it; before the welcome it goes with the hello.
    mutating func sayRefused(_ id: ModuleID, _ code: String, _ message: String, _ now: Duration) {
        refusals.removeAll { $0.module == id }
        if refusals.isEmpty { refusalsSaidAt = now }
        let refusal = Refusal(module: id, code: code, message: message, since: now)
        refusals.append(refusal)
        if isWelcome { actions.append(.send(refusal.said)) }
    }

    /// A broker that was not sure yet who we are has dropped them.
    private mutating func sayRefusalsAgain(_ now: Duration) {
        guard isWelcome, !refusals.isEmpty, now - refusalsSaidAt >= Self.refusalInterval else { return }
        refusalsSaidAt = now
        for refusal in refusals { actions.append(.send(refusal.said)) }
    }

    /// Nobody is there to note them: the log has them.
    private mutating func giveUpRefusals(_ now: Duration) {
        guard isWelcome, modules.isEmpty, !refusals.isEmpty else { return }
        let count = refusals.count
        refusals.removeAll { now - $0.since > settings.refusalLimit }
        guard refusals.count < count else { return }
        actions.append(
            .log(
                "no broker has noted within \(DurationText.print(settings.refusalLimit)) that \(count - refusals.count) modules were refused;"
                    + " it is said above"))
    }
}
