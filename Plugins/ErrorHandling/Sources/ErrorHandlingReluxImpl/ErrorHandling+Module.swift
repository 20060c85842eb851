public import ErrorHandlingModels
internal import ErrorHandlingReluxInt
internal import ErrorHandlingServiceImpl
internal import ErrorHandlingServiceInt
public import Relux
internal import ReluxIoC

extension ErrorHandling {
    @MainActor
    public struct Module: Relux.Plugin {
        public nonisolated static let version = "1.0.0"
        public nonisolated static var kind: Relux.ModuleKind { .infrastructure }
        public nonisolated static var handles: [any Relux.Effect.Type]? { [ErrorHandling.Business.Effect.self] }
        public nonisolated static var emits: [any Relux.Effect.Type]? { [] }
        public nonisolated static var provides: [any Relux.SharedSnapshot.Type] { [ErrorHandling.Business.Snapshot.self] }

        private let ioc: IoC

        public let states: [any Relux.AnyState]
        public let sagas: [any Relux.Saga]
        public let relays: [any Relux.StateRelaying]

        /// The file lies where the environment says.
        public init() { self.init(directory: Self.stateDirectory) }
        public init(directory: String) { self.init(ioc: Self.buildIoC(directory: directory)) }

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
