internal import ErrorHandlingModels
internal import ErrorHandlingReluxInt
internal import Relux
internal import ReluxOrchestration

extension StartupOrchestration.Runner {
    /// If a critical action was not done, a page keeps users out; each action that was not done is tracked by name.
    func tell(_ evaluation: Evaluation) async {
        let failures = Self.failures(of: evaluation)
        if let action = evaluation.endedBy { await maintenance.show(action, failures.first { $0.0 == action }?.1 ?? "") }
        guard !failures.isEmpty else { return }
        // Nobody waits for it, and the next evaluation does not either.
        performAsync(.concurrently) {
            for (action, why) in failures {
                ErrorHandling.Business.Effect.track(
                    error: .init(domain: "StartupOrchestration", code: 1, message: "\(action) was not done: \(why)"))
            }
        }
    }

    private static func failures(of evaluation: Evaluation) -> [(ActionID, String)] {
        let failed = evaluation.outcomes.compactMap { outcome -> (ActionID, String)? in
            switch outcome.result {
            case .completed, .skipped, .cancelled: nil
            case .failed(let why): (outcome.id, why)
            case .timedOut: (outcome.id, "it took longer than its limit")
            case .lost(let owner): (outcome.id, "\(owner) went away meanwhile")
            case .parked(let owner, let why): (outcome.id, "\(owner) is absent: \(why)")
            }
        }
        return failed + evaluation.unanswered.map { ($0, evaluation.gateFailures[$0] ?? "its gate did not answer") }
    }
}
