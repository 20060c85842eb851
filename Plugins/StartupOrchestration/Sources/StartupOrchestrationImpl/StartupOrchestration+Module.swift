internal import ErrorHandlingReluxInt
internal import NavigationReluxInt
public import Relux
internal import ReluxOrchestration
internal import ReluxPlugin

extension StartupOrchestration {
    public struct Module: Relux.Module {
        public let states: [any Relux.AnyState] = []  // Always empty
        public let sagas: [any Relux.Saga]
        /// Where the start is, for whoever comes in the middle of it.
        public let relays: [any Relux.StateRelaying]
        public let startBarrier: Relux.StartBarrier?

        public var handles: [any Relux.Effect.Type]? {
            [StartupOrchestration.Effect.self, Orchestration.Business.Answer.self, Cluster.Business.Effect.self]
        }
        public var emits: [any Relux.Effect.Type]? {
            [
                Orchestration.Business.Request.self, Orchestration.Business.Progress.self, Navigation.Business.Effect.self,
                ErrorHandling.Business.Effect.self,
            ]
        }

        /// Begins in `mode`, by default where the environment says: `RELUX_STARTUP_MODE`.
        @MainActor
        public init(mode: String? = nil) {
            self.init(Runner(mode: mode ?? StartMode.mode()))
        }

        @MainActor
        init(_ runner: Runner) {
            self.sagas = [Saga(runner)]
            // lint:allow orchestrator.state: a picture of the running evaluation, which is nobody's but its
            self.relays = [Relux.UI.StateRelay(runner.barrier.board)]
            self.startBarrier = runner.barrier.gate
        }
    }
}
