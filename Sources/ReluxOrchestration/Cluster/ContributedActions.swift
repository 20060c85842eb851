public import Relux
internal import ReluxPlugin
import ReluxWire

/// The orchestrator's side: brings the actions that modules elsewhere contribute into its list, and runs them there.
///
/// It belongs to the module that runs the orchestrator, whose id is the orchestrator's name: the registry lets no second module of an id in,
/// so there is one runner in the cluster. The module's saga hands it every effect (``handle(_:)``); the module handles
/// ``Orchestration/Business/Answer`` and `Cluster.Business.Effect`, and emits ``Orchestration/Business/Request`` and
/// ``Orchestration/Business/Progress``.
///
/// A module that is serial evaluates beside its handlers and not in one: the end of an action elsewhere is an effect too, which such a module
/// handles only when the handler before it has returned.
@MainActor
public final class ContributedActions {
    let orchestrator: ActionOrchestrator
    var module: ModuleID?
    var dispatcher = Relux.Dispatcher.current
    var calls = CallTable()
    /// The life of each module that has offered something.
    private var lives: [ModuleID: (epoch: UInt64, life: UInt64)] = [:]
    /// The latest life of each module that is over. Facts come late, and in a burst out of order: only the epoch says whom they mean.
    private var ended: [ModuleID: UInt64] = [:]
    /// The declined offers that were warned of, by module.
    private var declined: [ModuleID: Set<ActionID>] = [:]
    /// The modules that did not answer the last time.
    private var silent: Set<ModuleID> = []
    /// The last thing that was said of an evaluation; what comes next waits until it is accepted.
    private var said: Task<Void, Never>?
    private var evaluation: UInt64 = 0
    /// The module's; 0 outside of a cluster.
    private var epoch: UInt64 = 0
    private var hasCollected = false
    /// Told of each step of the evaluations, before the cluster is.
    public var onEvent: ((EvaluationEvent) -> Void)?

    public init(to orchestrator: ActionOrchestrator) {
        self.orchestrator = orchestrator
        orchestrator.evaluator.onEvent = { [weak self] event in
            self?.onEvent?(event)
            self?.say(event)
        }
    }

    var settings: OrchestratorSettings { orchestrator.evaluator.settings }

    // MARK: What the module hears

    /// Takes in what concerns contributed actions; any other effect passes by.
    ///
    /// - Returns: whether there may be something new to ``collect()``: a module has become ready, or a name is free again that another module's
    ///   action had to do without.
    @discardableResult
    public func handle(_ effect: any Relux.Effect) -> Bool {
        if let scope = Relux.Scope.current {
            module = scope.module
            dispatcher = scope.node.dispatcher(for: scope.module)
            epoch = scope.node.epoch(of: scope.module).rawValue
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
            if let known = lives[module], known.epoch <= epoch { return lose(module) }
            return false
        default:
            return false
        }
    }

    /// Returns whether another module has offered an action of a name that is free now.
    @discardableResult
    private func lose(_ owner: ModuleID) -> Bool {
        guard lives.removeValue(forKey: owner) != nil else { return false }
        declined[owner] = nil
        let free = orchestrator.remove(owner: owner)
        calls.lose(owner)
        return declined.values.contains { !$0.isDisjoint(with: free) }
    }

    // MARK: What others contribute

    /// Asks all modules what they contribute and registers what is new: in the order in which the modules were registered in the cluster, and of each
    /// in its order. The earlier module's of two actions of one id is taken.
    ///
    /// A module that does not answer within the gate's limit is warned of once, until it has answered; its earlier offers stay. A module that is
    /// away, such as between two lives of its process, has not answered either; a module that is known to be absent is not waited for.
    /// - Returns: what was registered, and who has not answered: what these contribute is not known.
    @discardableResult
    public func collect() async -> Contributions {
        guard let module else {
            settings.warn("nothing was collected: hand the module's effects to handle(_:) first, in its saga")
            return Contributions()
        }
        let answer = await dispatcher.ask(Orchestration.Business.Request.collect(orchestrator: module), upTo: min(settings.gateLimit, .longestWait))
        if answer.isRefused || answer.outcomes.contains(where: { $0.status == .refused }) { answer.failures.first.map { settings.warn($0.message) } }
        for late in Set(answer.unanswered).subtracting(silent).sorted() {
            settings.warn("\(late) did not say within \(DurationText.print(settings.gateLimit)) what it contributes to \(module); what it had offered before stays")
        }
        for (absent, why) in answer.absent.sorted(by: { $0.key < $1.key }) where !silent.contains(absent) {
            settings.warn("\(absent) is absent and was not asked what it contributes to \(module): \(why)")
        }
        let silent = Set(answer.outcomes.filter { $0.status != .succeeded }.map(\.recipient.module))
        self.silent = silent
        let all = answer.values(ActionOffers.self).map { ($0.key.module, $0.value) }.sorted { ($0.1.place, $0.0) < ($1.1.place, $1.0) }
            // It may have answered and gone while others were waited for.
            .filter { owner, offers in ended[owner].map { $0 < offers.epoch } ?? true }
        takeUp(all.flatMap(\.1.running), as: module)
        // First what an earlier life had brought goes, so that the names are free.
        for (owner, offers) in all {
            if let known = lives[owner], known != (offers.epoch, offers.life) { lose(owner) }
            lives[owner] = (offers.epoch, offers.life)
        }
        orchestrator.evaluator.place(Dictionary(all.map { ($0.0, $0.1.place) }) { $1 })
        return Contributions(
            new: all.flatMap { owner, offers in adopt(offers, of: owner) }, silent: silent.sorted(), absent: answer.absent)
    }

    /// Says once that this life has begun. The module's very first one has nothing to take up; a later one cannot know whether the one before was
    /// cut in an evaluation or ended long ago, and says so in any case.
    private func takeUp(_ running: [ActionID], as module: ModuleID) {
        guard !hasCollected else { return }
        hasCollected = true
        if epoch > 1 || !running.isEmpty { say(.tookUp(orchestrator: module, epoch: epoch, running: running)) }
    }

    private func adopt(_ offers: ActionOffers, of owner: ModuleID) -> [ActionID] {
        offers.actions.enumerated().compactMap { index, offer in
            let first = orchestrator.evaluator.list.actions.first { $0.id == offer.id }
            guard first?.owner != owner || first == nil else { return nil }
            let action = proxy(of: offer, index, by: owner)
            if let first, let later = first.owner, orchestrator.evaluator.list.isOrdered(action, before: first) {
                // It was away, or slow to answer: who is registered earlier has the name, as it would if all came at once.
                settings.warn(
                    "an action \(offer.id) of \(later) is registered already; the one of \(owner), which was registered earlier, takes its place,"
                        + " rename one of them")
                _ = orchestrator.evaluator.remove(id: first.id)
                declined[later, default: []].insert(offer.id)
            } else if first != nil, declined[owner]?.contains(offer.id) == true {
                return nil
            }
            guard orchestrator.evaluator.register(action) else {
                declined[owner, default: []].insert(offer.id)
                return nil
            }
            return offer.id
        }
    }

    private func proxy(of offer: ActionOffer, _ index: Int, by owner: ModuleID) -> RegisteredAction {
        var action = RegisteredAction(
            id: offer.id, priority: offer.priority, timeLimit: offer.timeLimit, excludedModes: Set(offer.excludedModes), owner: owner,
            shouldRun: { [weak self] in await self?.gate(of: offer.id, by: owner) ?? .failed(why: "whoever collected it is gone") },
            execute: { [weak self] in await self?.execute(offer.id, by: owner, $0) ?? .lost(owner: owner) })
        action.index = index
        return action
    }

    /// Ends what runs, for the module is about to go: no further action begins, and no answer is waited for. Whoever runs the evaluations calls it
    /// in its `deinit`; a task of theirs must not be what keeps it.
    public func leave() {
        orchestrator.cancel()
        calls.cancelAll()
    }

    // MARK: What is said

    private func say(_ event: EvaluationEvent) {
        guard let module else { return }
        if case .began(let begun, _) = event { evaluation = begun.number }
        if let progress = Orchestration.Business.Progress(event, of: module, evaluation: evaluation) { say(progress) }
    }

    /// Says that an evaluation was asked for in vain.
    public func sayBusy() {
        if let module { say(.busy(orchestrator: module)) }
    }

    private func say(_ progress: Orchestration.Business.Progress) {
        let (dispatcher, before) = (dispatcher, said)
        // In order, each behind the acceptance of the one before, and nobody waits for those who listen.
        said = Task {
            await before?.value
            await dispatcher.accept(progress) { _ in }
        }
    }
}
