internal import ErrorHandlingModels
internal import ErrorHandlingReluxInt
internal import NavigationModels
internal import NavigationReluxInt
internal import Relux
internal import ReluxOrchestration

extension StartupOrchestration.Runner {
    /// What was not done is tracked by its name; when it was critical nobody gets past a page that says so.
    func tell(_ evaluation: Evaluation) async {
        let failures = Self.failures(of: evaluation)
        guard !failures.isEmpty else { return }
        await actions(.concurrently) {
            for (action, why) in failures {
                ErrorHandling.Business.Effect.track(
                    error: .init(domain: "StartupOrchestration", code: 1, message: "\(action) was not done: \(why)"))
            }
        }
        guard let action = evaluation.endedBy else { return }
        let why = failures.first { $0.0 == action }?.1 ?? ""
        await actions {
            Navigation.Business.Effect.set(pages: [
                .init(domain: "app", name: "maintenance", parameters: ["action": action.rawValue, "why": why])
            ])
        }
    }

    private static func failures(of evaluation: Evaluation) -> [(ActionID, String)] {
        let failed = evaluation.outcomes.compactMap { outcome -> (ActionID, String)? in
            switch outcome.result {
            case .completed, .skipped, .cancelled: nil
            case .failed(let why): (outcome.id, why)
            case .timedOut: (outcome.id, "it took longer than its limit")
            case .lost(let owner): (outcome.id, "\(owner) went away meanwhile")
            }
        }
        return failed + evaluation.unanswered.map { ($0, "its gate did not answer") }
    }
}
