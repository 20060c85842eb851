public import Relux
internal import ReluxPlugin

/// The orchestrator's side: brings the actions that modules elsewhere contribute into its list, and runs them there.
///
/// It belongs to the module that runs the orchestrator, whose id is the orchestrator's name: the registry lets no second module of an id in,
/// so there is one runner in the cluster. The module's saga hands it every effect (``handle(_:)``); the module handles
/// ``Orchestration/Business/Answer`` and `Cluster.Business.Effect`, and emits ``Orchestration/Business/Request`` and
/// ``Orchestration/Business/Progress``.
@MainActor
public final class ContributedActions {
    let orchestrator: ActionOrchestrator
    var module: ModuleID?
    var dispatcher = Relux.Dispatcher.current
    var calls = CallTable()
    /// Of each module that has offered something.
    private var lives: [ModuleID: (epoch: UInt64, life: UInt64)] = [:]
    /// The latest life of each module that is over. Facts come late, and in a burst out of order: only the epoch says whom they mean.
    private var ended: [ModuleID: UInt64] = [:]
    /// Of offers that were not taken, those that were warned of.
    private var declined: [ModuleID: Set<ActionID>] = [:]
    /// The last thing that was said of an evaluation; what comes next waits for it.
    private var said: Task<Void, Never>?
    private var evaluation: UInt64 = 0

    public init(to orchestrator: ActionOrchestrator) {
        self.orchestrator = orchestrator
        orchestrator.evaluator.onEvent = { [weak self] in self?.say($0) }
    }

    var settings: OrchestratorSettings { orchestrator.evaluator.settings }

    // MARK: What the module hears

    /// Takes in what concerns contributed actions; any other effect passes by.
    ///
    /// - Returns: whether a module has become ready, which may have something to contribute: ``collect()`` asks.
    @discardableResult
    public func handle(_ effect: any Relux.Effect) -> Bool {
        if let scope = Relux.Scope.current {
            module = scope.module
            dispatcher = scope.node.dispatcher(for: scope.module)
        }
        switch effect {
        case let answer as Orchestration.Business.Answer:
            if case .ended(let call, let result, let values, let removed, let left) = answer {
                calls.end(call, by: Relux.handledEffect?.module, CallEnd(result: result, values: values, removed: removed, left: left))
            }
            return false
        case let fact as Cluster.Business.Effect:
            return heard(fact)
        default:
            return false
        }
    }

    private func heard(_ fact: Cluster.Business.Effect) -> Bool {
        switch fact {
        case .moduleReady, .moduleUpgraded:
            // Another instance may serve it now; what it contributes has to be asked for.
            return true
        case .instanceEnded(let module, let epoch):
            ended[module] = max(ended[module] ?? 0, epoch)
            if let known = lives[module], known.epoch <= epoch { lose(module) }
            return false
        default:
            return false
        }
    }

    private func lose(_ owner: ModuleID) {
        guard lives.removeValue(forKey: owner) != nil else { return }
        declined[owner] = nil
        orchestrator.remove(owner: owner)
        calls.lose(owner)
    }

    // MARK: What others contribute

    /// Asks all modules what they contribute and registers what is new: by the names of the modules, and of each in its order.
    ///
    /// One that does not answer within the gate's limit is warned of; what it had offered before stays.
    /// - Returns: what was registered.
    @discardableResult
    public func collect() async -> [ActionID] {
        guard let module else {
            settings.warn("nothing was collected: hand the module's effects to handle(_:) first, in its saga")
            return []
        }
        let answer = await dispatcher.ask(Orchestration.Business.Request.collect(orchestrator: module), upTo: settings.gateLimit)
        if let refusal = answer.outcomes.first(where: { $0.status == .refused })?.failure { settings.warn(refusal.message) }
        for silent in answer.unanswered {
            settings.warn("\(silent) did not say within \(settings.gateLimit) what it contributes to \(module); what it had offered before stays")
        }
        var new: [ActionID] = []
        for (recipient, offers) in answer.values(ActionOffers.self).sorted(by: { $0.key < $1.key }) {
            // It may have answered and gone while others were waited for.
            if let end = ended[recipient.module], end >= offers.epoch { continue }
            new += adopt(offers, of: recipient.module)
        }
        return new
    }

    private func adopt(_ offers: ActionOffers, of owner: ModuleID) -> [ActionID] {
        if let known = lives[owner], known != (offers.epoch, offers.life) { lose(owner) }
        lives[owner] = (offers.epoch, offers.life)
        return offers.actions.compactMap { offer in
            let first = orchestrator.evaluator.list.actions.first { $0.id == offer.id }
            guard first?.owner != owner || first == nil else { return nil }
            if first != nil, declined[owner]?.contains(offer.id) == true { return nil }
            guard orchestrator.evaluator.register(proxy(of: offer, by: owner)) else {
                declined[owner, default: []].insert(offer.id)
                return nil
            }
            return offer.id
        }
    }

    private func proxy(of offer: ActionOffer, by owner: ModuleID) -> RegisteredAction {
        RegisteredAction(
            id: offer.id, priority: offer.priority, timeLimit: offer.timeLimit, excludedModes: Set(offer.excludedModes), owner: owner,
            shouldRun: { [weak self] in await self?.gate(of: offer.id, by: owner) },
            execute: { [weak self] in await self?.execute(offer.id, by: owner, $0) ?? .lost(owner: owner) })
    }

    // MARK: What is said

    private func say(_ event: EvaluationEvent) {
        guard let module else { return }
        if case .began(let begun, _) = event { evaluation = begun.number }
        say(Orchestration.Business.Progress(event, of: module, evaluation: evaluation))
    }

    /// Says that an evaluation was asked for in vain.
    public func sayBusy() {
        if let module { say(.busy(orchestrator: module)) }
    }

    private func say(_ progress: Orchestration.Business.Progress) {
        let (dispatcher, before) = (dispatcher, said)
        // In order, and nobody waits for those who listen.
        said = Task {
            await before?.value
            _ = await dispatcher.ask(progress, upTo: .seconds(1))
        }
    }
}
