internal import Relux
internal import ReluxOrchestration

extension StartupOrchestration {
    /// Evaluates what is contributed, one evaluation at a time, and says what came of it.
    ///
    /// An evaluation may wait for a user, so it runs beside the handlers and not in one. When its process dies, the next life begins anew: an
    /// action that still runs elsewhere is joined, one that is done says so in its gate.
    @MainActor
    final class Runner {
        let orchestrator: SequenceOrchestrator
        private let contributed: ContributedActions
        // lint:allow orchestrator.state: the running evaluation itself, which ends with the process and begins anew in the next one
        private var round: Task<Void, Never>?
        /// Somebody has come, or asked, since the round has looked the last time.
        // lint:allow orchestrator.state: of the running evaluation, and gone with it
        private var isStale = false
        /// Somebody has asked, so it is evaluated also when nothing is new.
        // lint:allow orchestrator.state: of the running evaluation, and gone with it
        private var isAsked = false

        init(_ settings: OrchestratorSettings = OrchestratorSettings(policy: .onFailure(from: .critical))) {
            orchestrator = SequenceOrchestrator(settings)
            contributed = ContributedActions(to: orchestrator)
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
            round = Task {
                while isStale {
                    isStale = false
                    let new = await contributed.collect()
                    guard isAsked || !new.isEmpty else { continue }
                    isAsked = false
                    await tell(orchestrator.evaluate())
                }
                round = nil
            }
        }
    }
}
