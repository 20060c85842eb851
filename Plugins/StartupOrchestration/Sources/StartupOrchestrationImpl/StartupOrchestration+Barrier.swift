internal import Relux
internal import ReluxOrchestration
internal import ReluxPlugin

extension StartupOrchestration {
    /// Names the orchestrator for its own progress.
    enum Name: OrchestratorName {
        static let orchestrator: ModuleID = "StartupOrchestration"
    }

    /// Keeps users out until all critical actions are done, and tells the progress meanwhile. A member that has not named its actions may
    /// have critical ones: the barrier waits for it, by name.
    ///
    /// A runner that dies begins anew in its next life: actions that are done say so in their gates, so the barrier opens at once.
    @MainActor
    final class Barrier {
        nonisolated let gate = Relux.StartBarrier("the modules are asked what has to be done first")
        let board = ProgressBoard<Name>()
        /// The modules that have not said what they contribute.
        // lint:allow orchestrator.state: of the last question, which the next life asks anew
        private(set) var silent: [ModuleID] = []
        /// The silent modules that do not come back by themselves, and why.
        // lint:allow orchestrator.state: of the last question, for the text alone
        private var absent: [ModuleID: String] = [:]
        // lint:allow orchestrator.state: what the broker says of members, for the text alone
        private var quarantined: [ModuleID: String] = [:]
        /// What the evaluations have come to; `isStuck` when nothing goes on by itself.
        // lint:allow orchestrator.state: of the running evaluation, for the text alone
        private var last = (text: "the modules are asked what has to be done first", isStuck: false)

        /// A member has not named its actions yet.
        var isWaiting: Bool { !gate.state.isOpen && !silent.isEmpty }

        /// No evaluation has begun yet: one is due even if nothing is new.
        var isDue: Bool { !gate.state.isOpen && board.current.evaluation == 0 }

        /// The last evaluation left no known critical action undone.
        var isPassed: Bool {
            let progress = board.current
            return progress.evaluation > 0 && !progress.isProcessing && !progress.isCancelled && progress.endedBy == nil
        }

        func take(_ event: EvaluationEvent) {
            board.take(event)
            let text = board.current.description
            switch event {
            case .passed where isWaiting: say(text)
            case .passed: gate.open(text)
            case .began, .actionBegan, .actionEnded: say(text)
            case .ended(let evaluation) where evaluation.isCancelled: keepShut(text)
            case .ended(let evaluation):
                if let action = evaluation.endedBy { keepShut(text.isEmpty ? "\(action) was not done" : text) } else { say(text) }
            }
        }

        /// It was cancelled before it had asked everybody.
        func cut() { keepShut("the start was cancelled") }

        /// Everybody was asked what it contributes.
        func heard(silent: [ModuleID], absent: [ModuleID: String] = [:]) {
            guard silent != self.silent || absent != self.absent else { return }
            self.silent = silent
            self.absent = absent
            if !gate.state.isOpen { show() }
        }

        /// What the broker says of a member that may be waited for.
        func take(_ fact: Cluster.Business.Effect) {
            switch fact {
            case .moduleQuarantined(let module, let why): quarantined[module] = why
            case .moduleStarting(let module), .moduleReady(let module, _, _), .moduleUpgraded(let module, _, _, _, _):
                guard quarantined.removeValue(forKey: module) != nil else { return }
            default: return
            }
            if isWaiting { show() }
        }

        private func say(_ text: String) {
            last = (text, false)
            if gate.state.isOpen { gate.remark(text) } else { show() }
        }

        private func keepShut(_ why: String) {
            guard !gate.state.isOpen else { return gate.remark(why) }
            last = ("\(why). Mend it, then: relux effect send StartupOrchestration.Effect.begin", true)
            show()
        }

        private func show() {
            let waits = silent.map { module in
                if let why = absent[module] {
                    return "\(module) has not said what it contributes and is absent: \(why). Mend it, or do without it: relux module unload \(module)"
                }
                guard let why = quarantined[module] else { return "\(module) has not said what it contributes: relux module why-not \(module)" }
                return "\(module) has not said what it contributes and is quarantined: \(why). Mend it, then: relux module restart \(module);"
                    + " or do without it: relux module unload \(module)"
            }
            gate.close(
                ([last.text].filter { !$0.isEmpty } + waits).joined(separator: "; "),
                isStuck: last.isStuck || silent.contains { quarantined[$0] != nil || absent[$0] != nil })
        }
    }
}
