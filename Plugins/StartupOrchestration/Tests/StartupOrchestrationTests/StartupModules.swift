import ErrorHandlingReluxInt
import NavigationReluxInt
import Relux
import ReluxOrchestration
import ReluxTestKit
@testable import StartupOrchestrationImpl

/// Answers what it contributes (nothing) when the gate opens.
struct Slow: Relux.Module {
    let states: [any Relux.AnyState] = []
    let sagas: [any Relux.Saga]
    let handles: [any Relux.Effect.Type]? = [Orchestration.Business.Request.self]

    init(gate: Gate) { sagas = [Saga(gate: gate)] }

    actor Saga: Relux.Saga {
        let gate: Gate
        init(gate: Gate) { self.gate = gate }

        func apply(_ effect: any Relux.Effect) async {
            if case .collect? = effect as? Orchestration.Business.Request { await gate.pass() }
        }
    }
}

/// Has the runner tell of an evaluation, in a handler.
struct Teller: Relux.Module {
    enum Effect: Relux.Effect { case tell }
    let states: [any Relux.AnyState] = []
    let sagas: [any Relux.Saga]

    init(runner: StartupOrchestration.Runner, evaluation: Evaluation) { sagas = [Saga(runner, evaluation)] }

    actor Saga: Relux.Saga {
        let runner: StartupOrchestration.Runner
        let evaluation: Evaluation
        init(_ runner: StartupOrchestration.Runner, _ evaluation: Evaluation) {
            self.runner = runner
            self.evaluation = evaluation
        }

        func apply(_ effect: any Relux.Effect) async {
            if effect is Effect { await runner.tell(evaluation) }
        }
    }
}

/// Pages that cover others, of which some are there already.
struct Pages: Relux.Module {
    let moduleID: ModuleID = "Navigation"
    let states: [any Relux.AnyState] = []
    let sagas: [any Relux.Saga]
    let flow: Flow

    /// - Parameter hold: it does not say what covers before this opens.
    init(_ covers: [Navigation.Business.Model.Page], hold: Gate? = nil) {
        flow = Flow(covers, hold)
        sagas = [flow]
    }

    actor Flow: Relux.Flow {
        private(set) var covers: [Navigation.Business.Model.Page]
        private let hold: Gate?
        init(_ covers: [Navigation.Business.Model.Page], _ hold: Gate?) {
            self.covers = covers
            self.hold = hold
        }

        func apply(_ effect: any Relux.Effect) async -> Relux.ActionResult {
            switch effect as? Navigation.Business.Effect {
            case .covers:
                await hold?.pass()
                return .success(covers)
            case .cover(let page): covers = covers.filter { ($0.domain, $0.name) != (page.domain, page.name) } + [page]
            case .uncover(let domain, let name): covers.removeAll { ($0.domain, $0.name) == (domain, name) }
            default: break
            }
            return .success
        }
    }
}

struct Domain: Relux.Module {
    let moduleID: ModuleID
    let states: [any Relux.AnyState] = []
    let sagas: [any Relux.Saga]

    /// - Parameter hold: it does not say what it contributes before this opens.
    init(moduleID: ModuleID, actions: [any OrchestratedAction], hold: Gate? = nil) {
        self.moduleID = moduleID
        sagas = (hold.map { [Slow.Saga(gate: $0)] } ?? []) + [ActionContributor(["StartupOrchestration": actions])]
    }
}

struct Listener: Relux.Module {
    let moduleID: ModuleID = "Listener"
    let states: [any Relux.AnyState] = []
    let sagas: [any Relux.Saga]
    let handles: [any Relux.Effect.Type]? = [
        Orchestration.Business.Progress.self, Navigation.Business.Effect.self, ErrorHandling.Business.Effect.self,
    ]

    /// - Parameter hold: awaited before an effect is taken.
    init(
        _ progress: Recorder<Orchestration.Business.Progress>, _ told: Recorder<any Relux.Effect>,
        hold: @escaping @Sendable (any Relux.Effect) async -> Void = { _ in }
    ) {
        sagas = [Saga(progress, told, hold)]
    }

    actor Saga: Relux.Saga {
        let progress: Recorder<Orchestration.Business.Progress>
        let told: Recorder<any Relux.Effect>

        let hold: @Sendable (any Relux.Effect) async -> Void

        init(
            _ progress: Recorder<Orchestration.Business.Progress>, _ told: Recorder<any Relux.Effect>,
            _ hold: @escaping @Sendable (any Relux.Effect) async -> Void
        ) {
            self.progress = progress
            self.told = told
            self.hold = hold
        }

        func apply(_ effect: any Relux.Effect) async {
            await hold(effect)
            // Whether the page is there is another's to answer.
            if case .covers? = effect as? Navigation.Business.Effect { return }
            if let fact = effect as? Orchestration.Business.Progress { progress.record(fact) } else { told.record(effect) }
        }
    }
}
