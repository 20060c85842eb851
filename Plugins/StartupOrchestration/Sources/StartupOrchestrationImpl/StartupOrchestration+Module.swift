internal import ErrorHandlingReluxInt
internal import NavigationReluxInt
public import Relux
internal import ReluxOrchestration
internal import ReluxPlugin

extension StartupOrchestration {
    public struct Module: Relux.Module {
        public let states: [any Relux.AnyState] = []  // Always empty
        public let sagas: [any Relux.Saga]

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
            self.sagas = [Saga(Runner(mode: mode ?? StartMode.mode()))]
        }

        @MainActor
        init(_ runner: Runner) {
            self.sagas = [Saga(runner)]
        }
    }
}
