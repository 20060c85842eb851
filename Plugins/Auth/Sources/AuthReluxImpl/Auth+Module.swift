public import AuthModels
public import AuthReluxInt
internal import AuthServiceImpl
internal import AuthServiceInt
internal import ErrorHandlingModels
internal import ErrorHandlingReluxInt
internal import NavigationModels
internal import NavigationReluxInt
public import Relux
internal import ReluxIoC
internal import ReluxOrchestration

extension Auth {
    @MainActor
    public struct Module: Relux.Plugin {
        public nonisolated static let version = "1.0.0"
        public nonisolated static var handles: [any Relux.Effect.Type]? { [Auth.Business.Effect.self, Orchestration.Business.Request.self] }
        public nonisolated static var emits: [any Relux.Effect.Type]? {
            [
                Auth.Business.Effect.self, Navigation.Business.Effect.self, ErrorHandling.Business.Effect.self,
                Orchestration.Business.Answer.self,
            ]
        }
        public nonisolated static var provides: [any Relux.SharedSnapshot.Type] { [Auth.Business.Snapshot.self] }

        private let ioc: IoC

        public let states: [any Relux.AnyState]
        public let sagas: [any Relux.Saga]
        public let relays: [any Relux.StateRelaying]

        /// Routes through Navigation. The files lie where the environment says.
        ///
        /// - Throws: what the container could not resolve.
        public init() throws { try self.init(directory: Self.stateDirectory) }
        public init(directory: String) throws { try self.init(router: RouterAdapter(), directory: directory) }

        /// - Throws: what the container could not resolve; without a router, that.
        public init(router: (any Auth.Business.IRouter)?, directory: String? = nil) throws {
            try self.init(ioc: Self.buildIoC(router: router, directory: directory ?? Self.stateDirectory))
        }

        init(ioc: IoC) throws {
            self.ioc = ioc
            let state = try ioc.resolve((any Auth.Business.IState).self)
            self.states = [state]
            self.sagas = [
                try ioc.resolve((any Auth.Business.IFlow).self),
                Auth.startup(svc: try ioc.resolve()),
            ]
            self.relays = [Relux.UI.StateRelay(state)]
        }
    }
}

extension Auth.Module {
    static func buildIoC(router: (any Auth.Business.IRouter)?, directory: String) -> IoC {
        let ioc = IoC(logger: IoC.Logger(enabled: false))

        if let router { ioc.register((any Auth.Business.IRouter).self, lifecycle: .container) { router } }
        ioc.register(Auth.Business.State.self, lifecycle: .container) { Auth.Business.State() }
        ioc.register((any Auth.Business.IState).self, lifecycle: .container) { try ioc.resolve(Auth.Business.State.self) }
        ioc.register(
            (any Auth.Business.IService).self,
            real: { Auth.Business.Service(databasePath: directory + "/auth.sqlite") },
            mock: { Auth.Business.ServiceInMemory() })
        ioc.register((any Auth.Business.IFlow).self, lifecycle: .container) {
            Auth.Business.Flow(svc: try ioc.resolve(), state: try ioc.resolve(), router: try ioc.resolve())
        }

        return ioc
    }
}
