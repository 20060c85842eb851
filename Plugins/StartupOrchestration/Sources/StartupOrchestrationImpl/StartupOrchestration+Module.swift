internal import ErrorHandlingReluxInt
internal import NavigationReluxInt
public import Relux
internal import ReluxOrchestration
internal import ReluxPlugin

extension StartupOrchestration {
    public struct Module: Relux.Plugin {
        public static let version = "1.0.0"
        public static var kind: Relux.ModuleKind { .orchestrator }
        public static var handles: [any Relux.Effect.Type]? {
            [StartupOrchestration.Effect.self, Orchestration.Business.Answer.self, Cluster.Business.Effect.self]
        }
        public static var emits: [any Relux.Effect.Type]? {
            [
                Orchestration.Business.Request.self, Orchestration.Business.Progress.self, Navigation.Business.Effect.self,
                ErrorHandling.Business.Effect.self,
            ]
        }
        public static var provides: [any Relux.SharedSnapshot.Type] { [OrchestratorProgress<Name>.self] }
        /// Effects that mend the start, or that one of its actions waits for, get through.
        public static var startEffects: [any Relux.Effect.Type]? { [StartupOrchestration.Effect.self, Orchestration.Business.Request.self] }

        public let states: [any Relux.AnyState] = []  // Always empty
        public let sagas: [any Relux.Saga]
        /// The progress of the start, for observers that come later.
        public let relays: [any Relux.StateRelaying]
        public let startBarrier: Relux.StartBarrier?

        /// Begins in the mode that the environment says: `RELUX_STARTUP_MODE`.
        @MainActor
        public init() { self.init(mode: StartMode.mode()) }

        @MainActor
        public init(mode: String?) { self.init(Runner(mode: mode)) }

        @MainActor
        init(_ runner: Runner) {
            self.sagas = [Saga(runner)]
            // lint:allow orchestrator.state: a picture of the running evaluation, which is nobody's but its
            self.relays = [Relux.UI.StateRelay(runner.barrier.board)]
            self.startBarrier = runner.barrier.gate
        }
    }
}
