internal import Relux
internal import ReluxOrchestration
internal import ReluxPlugin

extension StartupOrchestration {
    /// Evaluates what is contributed, one evaluation at a time, and says what came of it.
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
        /// Somebody has come, or asked, since the round has looked the last time.
        // lint:allow orchestrator.state: of the running evaluation, and gone with it
        private var isStale = false
        /// Somebody has asked, so it is evaluated also when nothing is new.
        // lint:allow orchestrator.state: of the running evaluation, and gone with it
        private var isAsked = false
        /// Somebody has cancelled while it was collected.
        // lint:allow orchestrator.state: of the running evaluation, and gone with it
        private var isCut = false

        /// The last evaluation was of what is critical alone, for somebody had not said what it contributes.
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
            // It does not keep the runner while it waits: who unloads the module ends it.
            round = Task { [weak self, contributed, orchestrator, maintenance, barrier] in
                while self?.isToLook() == true {
                    if barrier.isPassed { await maintenance.lookAgain() }
                    let found = await contributed.collect()
                    guard let least = self?.toEvaluate(found) else { continue }
                    let evaluation = await orchestrator.evaluate(upTo: least)
                    await self?.tell(evaluation)
                    // Before everybody has been heard, somebody who knows the mode may be missing.
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

        /// As long as somebody has not answered, unless it was cancelled.
        private func lookLater() {
            guard !isCancelled, barrier.isWaiting || (maintenance.isUnanswered && barrier.isPassed) else { return }
            alarm = Task { [weak self, clock] in
                guard (try? await clock.sleep(Self.pause)) != nil, !Task.isCancelled else { return }
                self?.look()
            }
        }

        /// How far the next evaluation goes; nil when none is due. What is less than critical is not begun before everybody has been heard: users are
        /// kept out till then, and what waits for one would hold up whoever comes.
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
