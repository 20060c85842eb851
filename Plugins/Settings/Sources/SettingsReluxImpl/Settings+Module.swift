internal import ErrorHandlingModels
internal import ErrorHandlingReluxInt
internal import NavigationModels
internal import NavigationReluxInt
public import Relux
internal import ReluxIoC
internal import ReluxOrchestration
public import SettingsModels
public import SettingsReluxInt
internal import SettingsServiceImpl
internal import SettingsServiceInt

extension Settings {
    @MainActor
    public struct Module: Relux.Plugin {
        public nonisolated static let version = "1.0.0"
        public nonisolated static var handles: [any Relux.Effect.Type]? { [Settings.Business.Effect.self, Orchestration.Business.Request.self] }
        public nonisolated static var emits: [any Relux.Effect.Type]? {
            [
                Settings.Business.Effect.self, Navigation.Business.Effect.self, ErrorHandling.Business.Effect.self,
                Orchestration.Business.Answer.self,
            ]
        }
        public nonisolated static var provides: [any Relux.SharedSnapshot.Type] { [Settings.Business.Snapshot.self] }

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
        public init(router: (any Settings.Business.IRouter)?, directory: String? = nil) throws {
            try self.init(ioc: Self.buildIoC(router: router, directory: directory ?? Self.stateDirectory))
        }

        init(ioc: IoC) throws {
            self.ioc = ioc
            let state = try ioc.resolve((any Settings.Business.IState).self)
            self.states = [state]
            self.sagas = [
                try ioc.resolve((any Settings.Business.IFlow).self),
                Settings.startup(svc: try ioc.resolve(), router: try ioc.resolve()),
            ]
            self.relays = [Relux.UI.StateRelay(state)]
        }
    }
}

extension Settings.Module {
    static func buildIoC(router: (any Settings.Business.IRouter)?, directory: String) -> IoC {
        let ioc = IoC(logger: IoC.Logger(enabled: false))

        if let router { ioc.register((any Settings.Business.IRouter).self, lifecycle: .container) { router } }
        ioc.register((any Settings.Business.IState).self, lifecycle: .container) {
            Settings.Business.State(svc: try ioc.resolve())
        }
        ioc.register(
            (any Settings.Business.IService).self,
            real: { Settings.Business.Service(databasePath: directory + "/settings.sqlite") },
            mock: { Settings.Business.ServiceInMemory() })
        ioc.register((any Settings.Business.IFlow).self, lifecycle: .container) {
            Settings.Business.Flow(svc: try ioc.resolve(), state: try ioc.resolve(), router: try ioc.resolve())
        }

        return ioc
    }
}
