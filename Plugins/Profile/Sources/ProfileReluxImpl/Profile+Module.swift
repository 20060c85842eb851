internal import ErrorHandlingModels
internal import ErrorHandlingReluxInt
internal import NavigationModels
internal import NavigationReluxInt
public import ProfileModels
public import ProfileReluxInt
internal import ProfileServiceImpl
internal import ProfileServiceInt
public import Relux
internal import ReluxIoC
internal import ReluxOrchestration

extension Profile {
    @MainActor
    public struct Module: Relux.Plugin {
        public nonisolated static let version = "1.0.0"
        public nonisolated static var handles: [any Relux.Effect.Type]? { [Profile.Business.Effect.self, Orchestration.Business.Request.self] }
        public nonisolated static var emits: [any Relux.Effect.Type]? {
            [
                Profile.Business.Effect.self, Navigation.Business.Effect.self, ErrorHandling.Business.Effect.self,
                Orchestration.Business.Answer.self,
            ]
        }
        public nonisolated static var provides: [any Relux.SharedSnapshot.Type] { [Profile.Business.Snapshot.self] }

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
        public init(router: (any Profile.Business.IRouter)?, directory: String? = nil) throws {
            try self.init(ioc: Self.buildIoC(router: router, directory: directory ?? Self.stateDirectory))
        }

        init(ioc: IoC) throws {
            self.ioc = ioc
            let state = try ioc.resolve((any Profile.Business.IState).self)
            self.states = [state, try ioc.resolve(Profile.Business.Revisions.self)]
            self.sagas = [
                try ioc.resolve((any Profile.Business.IFlow).self),
                Profile.startup(svc: try ioc.resolve()),
            ]
            self.relays = [Relux.UI.StateRelay(state)]
        }
    }
}

extension Profile.Module {
    static func buildIoC(router: (any Profile.Business.IRouter)?, directory: String) -> IoC {
        let ioc = IoC(logger: IoC.Logger(enabled: false))

        if let router { ioc.register((any Profile.Business.IRouter).self, lifecycle: .container) { router } }
        ioc.register((any Profile.Business.IState).self, lifecycle: .container) { Profile.Business.State() }
        ioc.register(Profile.Business.Revisions.self, lifecycle: .container) { Profile.Business.Revisions() }
        ioc.register(
            (any Profile.Business.IService).self,
            real: { Profile.Business.Service(databasePath: directory + "/profile.sqlite") },
            mock: { Profile.Business.ServiceInMemory() })
        ioc.register((any Profile.Business.IFlow).self, lifecycle: .container) {
            Profile.Business.Flow(svc: try ioc.resolve(), revisions: try ioc.resolve(), router: try ioc.resolve())
        }

        return ioc
    }
}
