public import Relux

extension Orchestration.Business {
    /// An orchestrator's reports of its evaluations, for taps and for whoever waits for their end.
    public enum Progress: Relux.Effect, Hashable {
        /// All gates have answered or had their time; `eligible` is in the order in which they run.
        case began(orchestrator: ModuleID, evaluation: UInt64, eligible: [ActionID], unanswered: [ActionID])
        case actionBegan(orchestrator: ModuleID, evaluation: UInt64, action: ActionID, owner: ModuleID?)
        case actionEnded(
            orchestrator: ModuleID, evaluation: UInt64, action: ActionID, owner: ModuleID?, result: ActionResult, milliseconds: UInt64)
        /// `endedBy` is the action whose failure or silence kept `notStarted` from beginning.
        case ended(orchestrator: ModuleID, evaluation: UInt64, isSuccess: Bool, endedBy: ActionID?, notStarted: [ActionID])
        /// Somebody asked for an evaluation while one was under way.
        case busy(orchestrator: ModuleID)
        /// Another life of the orchestrator has begun, with this epoch: no evaluation of an earlier one goes on. `running` are actions that such a one
        /// had begun and that run still; when they are due, the next evaluation waits for their end and does not begin them again.
        case tookUp(orchestrator: ModuleID, epoch: UInt64, running: [ActionID])

        /// nil for what is said by others.
        init?(_ event: EvaluationEvent, of orchestrator: ModuleID, evaluation: UInt64) {
            switch event {
            case .passed: return nil
            case .began(let begun, let eligible):
                self = .began(orchestrator: orchestrator, evaluation: evaluation, eligible: eligible, unanswered: begun.unanswered)
            case .actionBegan(let id, let owner):
                self = .actionBegan(orchestrator: orchestrator, evaluation: evaluation, action: id, owner: owner)
            case .actionEnded(let outcome):
                self = .actionEnded(
                    orchestrator: orchestrator, evaluation: evaluation, action: outcome.id, owner: outcome.owner, result: outcome.result.tellable,
                    milliseconds: outcome.duration.wholeMilliseconds)
            case .ended(let ended):
                self = .ended(
                    orchestrator: orchestrator, evaluation: evaluation, isSuccess: ended.isSuccess, endedBy: ended.endedBy,
                    notStarted: ended.notStarted)
            }
        }
    }
}
