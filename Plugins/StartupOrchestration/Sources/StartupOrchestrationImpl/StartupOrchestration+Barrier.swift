internal import Relux
internal import ReluxOrchestration

extension StartupOrchestration {
    /// Names the orchestrator for its own progress.
    enum Name: OrchestratorName {
        static let orchestrator: ModuleID = "StartupOrchestration"
    }

    /// Keeps users out until all that is critical has been done, and says meanwhile what goes on.
    ///
    /// A runner that dies begins anew in its next life: what is done says so in its gate, so the barrier opens at once then.
    @MainActor
    final class Barrier {
        nonisolated let gate = Relux.StartBarrier("the modules are asked what has to be done first")
        let board = ProgressBoard<Name>()

        /// Nobody has said yet what is to be done, or somebody has asked in vain: an evaluation is due, also when nothing is new.
        var isDue: Bool { !gate.state.isOpen && board.current.evaluation == 0 }

        func take(_ event: EvaluationEvent) {
            board.take(event)
            let text = board.current.description
            switch event {
            case .passed: gate.open(text)
            case .began, .actionBegan, .actionEnded: say(text)
            case .ended(let evaluation) where evaluation.isCancelled: keepShut(text)
            case .ended(let evaluation):
                if let action = evaluation.endedBy { keepShut(text.isEmpty ? "\(action) was not done" : text) } else { say(text) }
            }
        }

        /// It was cancelled before it had asked everybody.
        func cut() { keepShut("the start was cancelled") }

        private func say(_ text: String) { if gate.state.isOpen { gate.remark(text) } else { gate.close(text) } }

        private func keepShut(_ why: String) {
            guard !gate.state.isOpen else { return gate.remark(why) }
            gate.close("\(why). Mend it, then: relux effect send StartupOrchestration.Effect.begin", isStuck: true)
        }
    }
}
