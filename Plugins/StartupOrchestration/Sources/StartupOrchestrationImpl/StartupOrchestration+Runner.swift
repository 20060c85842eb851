internal import Relux
internal import ReluxOrchestration
internal import ReluxPlugin

extension StartupOrchestration {
    /// Evaluates the contributed actions, one evaluation at a time, and tells the outcome.
    ///
    /// An evaluation may wait for a user, so it runs beside the handlers and not in one. When its process dies, the next life begins anew: an
    /// action that still runs elsewhere is joined, one that is done says so in its gate. When the module alone goes, what runs is ended.
    @MainActor
    final class Runner {
        let orchestrator: SequenceOrchestrator
        let maintenance: Maintenance
        let barrier = Barrier()
        private let contributed: ContributedActions
        // lint:allow orchestrator.state: the running evaluation itself, which ends with the process and begins anew in the next one
        private var round: Task<Void, Never>?
        /// A module has come, or somebody has asked, since the last look.
        // lint:allow orchestrator.state: of the running evaluation, and gone with it
        private var isStale = false
        /// Somebody has asked, so an evaluation is due even if nothing is new.
        // lint:allow orchestrator.state: of the running evaluation, and gone with it
        private var isAsked = false
        /// Somebody has cancelled while the members were asked.
        // lint:allow orchestrator.state: of the running evaluation, and gone with it
        private var isCut = false

        /// The last evaluation was of critical actions only, because a member had not named its actions.
        // lint:allow orchestrator.state: of the last evaluation; the next life begins with one of its own
        private var isPartial = false
        /// Wakes up when it is time to look again.
        // lint:allow orchestrator.state: a wait, which ends with the process
        private var alarm: Task<Void, Never>?
        // lint:allow orchestrator.state: of the running evaluation, and gone with it
        private var isCancelled = false
        private let clock: Relux.NodeClock

        /// How long after its last question it asks again who has not answered.
        private static let pause = Duration.seconds(1)

        /// - Parameters:
        ///   - mode: where it begins, before anybody has said another one.
        ///   - questionLimit: how long Navigation may take to say whether the page is there; less than a gate may.
        init(
            mode: String? = nil, questionLimit: Duration = .seconds(2),
            _ settings: OrchestratorSettings = OrchestratorSettings(policy: .onFailure(from: .critical))
        ) {
            clock = settings.clock
            maintenance = Maintenance(questionLimit: questionLimit)
            orchestrator = SequenceOrchestrator(settings)
            orchestrator.currentMode = mode
            contributed = ContributedActions(to: orchestrator)
            // The first of its priority: behind all that is critical, before anything is shown.
            orchestrator.register(maintenance.end)
            contributed.onEvent = { [barrier] in barrier.take($0) }
        }

        isolated deinit {
            round?.cancel()
            alarm?.cancel()
            contributed.leave()
        }

        func handle(_ effect: any Relux.Effect) {
            let mayBringMore = contributed.handle(effect)
            if let fact = effect as? Cluster.Business.Effect { barrier.take(fact) }
            switch effect as? StartupOrchestration.Effect {
            case .begin where orchestrator.isProcessing:
                contributed.sayBusy()
            case .begin:
                isAsked = true
                look()
            case .cancel:
                isAsked = false
                isCancelled = true
                alarm?.cancel()
                isCut = round != nil && !orchestrator.isProcessing
                if isCut { barrier.cut() }
                orchestrator.cancel()
            case .enter(let mode):
                orchestrator.currentMode = mode
                barrier.gate.note(orchestrator.unknownMode)
            case nil:
                if mayBringMore { look() }
            }
        }

        private func look() {
            isStale = true
            isCancelled = false
            guard round == nil else { return }
            alarm?.cancel()
            // It does not retain the runner while it waits, so that unloading the module ends it.
            round = Task { [weak self, contributed, orchestrator, maintenance, barrier] in
                while self?.isToLook() == true {
                    if barrier.isPassed { await maintenance.lookAgain() }
                    let found = await contributed.collect()
                    guard let least = self?.toEvaluate(found) else { continue }
                    let evaluation = await orchestrator.evaluate(upTo: least)
                    await self?.tell(evaluation)
                    // Until all members have answered, one that knows the mode may be missing.
                    if least == .low { barrier.gate.note(orchestrator.unknownMode) }
                }
            }
        }

        private func isToLook() -> Bool {
            guard isStale else {
                round = nil
                lookLater()
                return false
            }
            isStale = false
            isCut = false
            return true
        }

        /// Until all have answered or it is cancelled.
        private func lookLater() {
            guard !isCancelled, barrier.isWaiting || (maintenance.isUnanswered && barrier.isPassed) else { return }
            let due = clock.now() + Self.pause
            alarm = Task { [weak self, clock] in
                guard (try? await clock.sleep(until: due)) != nil, !Task.isCancelled else { return }
                self?.look()
            }
        }

        /// The reach of the next evaluation; nil if none is due. Other than critical actions begin only after all members have answered: users are
        /// kept out until then, and an action that waits for a user would hold up the others.
        private func toEvaluate(_ found: Contributions) -> ActionPriority? {
            barrier.heard(silent: found.silent, absent: found.absent)
            let isWhole = !barrier.isWaiting
            guard !isCut, isAsked || !found.new.isEmpty || barrier.isDue || (isPartial && isWhole) else { return nil }
            isAsked = false
            isPartial = !isWhole
            return isWhole ? .low : .critical
        }
    }
}
