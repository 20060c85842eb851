public import ErrorHandlingModels
internal import ErrorHandlingReluxInt
internal import ErrorHandlingServiceImpl
internal import ErrorHandlingServiceInt
public import Relux
internal import ReluxIoC

extension ErrorHandling {
    @MainActor
    public struct Module: Relux.Module {
        private let ioc: IoC

        public let states: [any Relux.AnyState]
        public let sagas: [any Relux.Saga]
        public let relays: [any Relux.StateRelaying]
        public nonisolated var handles: [any Relux.Effect.Type]? { [ErrorHandling.Business.Effect.self] }
        public nonisolated var emits: [any Relux.Effect.Type]? { [] }

        /// The file lies in `directory`, by default where the environment says.
        public init(directory: String? = nil) {
            self.init(ioc: Self.buildIoC(directory: directory ?? StateDirectory.path))
        }

        init(ioc: IoC) {
            self.ioc = ioc
            let state = ioc.get(by: (any ErrorHandling.Business.IState).self)!
            self.states = [state]
            self.sagas = [ioc.get(by: (any ErrorHandling.Business.ISaga).self)!]
            self.relays = [Relux.UI.StateRelay(state)]
        }
    }
}

extension ErrorHandling.Module {
    static func buildIoC(directory: String) -> IoC {
        let ioc = IoC(logger: IoC.Logger(enabled: false))

        ioc.register((any ErrorHandling.Business.IState).self, lifecycle: .container) { ErrorHandling.Business.State() }
        ioc.register((any ErrorHandling.Business.IService).self, lifecycle: .container) {
            ErrorHandling.Business.Service(filePath: directory + "/errors.jsonl")
        }
        ioc.register((any ErrorHandling.Business.ISaga).self, lifecycle: .container) {
            ErrorHandling.Business.Saga(svc: ioc.get(by: (any ErrorHandling.Business.IService).self)!)
        }

        return ioc
    }
}
