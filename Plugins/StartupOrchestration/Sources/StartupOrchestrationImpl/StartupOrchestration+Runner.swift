internal import Relux
internal import ReluxOrchestration

extension StartupOrchestration {
    /// Evaluates what is contributed, one evaluation at a time, and says what came of it.
    ///
    /// An evaluation may wait for a user, so it runs beside the handlers and not in one. When its process dies, the next life begins anew: an
    /// action that still runs elsewhere is joined, one that is done says so in its gate. When the module alone goes, what runs is ended.
    @MainActor
    final class Runner {
        let orchestrator: SequenceOrchestrator
        let maintenance = Maintenance()
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

        /// - Parameter mode: where it begins, before anybody has said another one.
        init(mode: String? = nil, _ settings: OrchestratorSettings = OrchestratorSettings(policy: .onFailure(from: .critical))) {
            orchestrator = SequenceOrchestrator(settings)
            orchestrator.currentMode = mode
            contributed = ContributedActions(to: orchestrator)
            // The first of its priority: behind all that is critical, before anything is shown.
            orchestrator.register(maintenance.end)
            contributed.onEvent = { [barrier] in barrier.take($0) }
        }

        isolated deinit {
            round?.cancel()
            contributed.leave()
        }

        func handle(_ effect: any Relux.Effect) {
            let mayBringMore = contributed.handle(effect)
            switch effect as? StartupOrchestration.Effect {
            case .begin where orchestrator.isProcessing:
                contributed.sayBusy()
            case .begin:
                isAsked = true
                look()
            case .cancel:
                isAsked = false
                isCut = round != nil && !orchestrator.isProcessing
                if isCut { barrier.cut() }
                orchestrator.cancel()
            case .enter(let mode):
                orchestrator.currentMode = mode
            case nil:
                if mayBringMore { look() }
            }
        }

        private func look() {
            isStale = true
            guard round == nil else { return }
            // It does not keep the runner while it waits: who unloads the module ends it.
            round = Task { [weak self, contributed, orchestrator] in
                while self?.isToLook() == true {
                    let new = await contributed.collect()
                    guard self?.isToEvaluate(new) == true else { continue }
                    let evaluation = await orchestrator.evaluate()
                    await self?.tell(evaluation)
                }
            }
        }

        private func isToLook() -> Bool {
            guard isStale else {
                round = nil
                return false
            }
            isStale = false
            isCut = false
            return true
        }

        private func isToEvaluate(_ new: [ActionID]) -> Bool {
            guard !isCut, isAsked || !new.isEmpty || barrier.isDue else { return false }
            isAsked = false
            return true
        }
    }
}
