internal import ErrorHandlingModels
internal import ErrorHandlingReluxInt
internal import NavigationModels
internal import NavigationReluxInt
public import Relux
internal import ReluxIoC
public import SettingsModels
public import SettingsReluxInt
internal import SettingsServiceImpl
internal import SettingsServiceInt

extension Settings {
    @MainActor
    public struct Module: Relux.Module {
        private let ioc: IoC

        public let states: [any Relux.AnyState]
        public let sagas: [any Relux.Saga]
        public let relays: [any Relux.StateRelaying]
        public nonisolated var handles: [any Relux.Effect.Type]? { [Settings.Business.Effect.self] }
        public nonisolated var emits: [any Relux.Effect.Type]? {
            [Settings.Business.Effect.self, Navigation.Business.Effect.self, ErrorHandling.Business.Effect.self]
        }

        /// Routes through Navigation.
        public init() {
            self.init(router: RouterAdapter())
        }

        public init(router: any Settings.Business.IRouter) {
            self.init(ioc: Self.buildIoC(router: router))
        }

        init(ioc: IoC) {
            self.ioc = ioc
            let state = ioc.get(by: (any Settings.Business.IState).self)!
            self.states = [state]
            self.sagas = [ioc.get(by: (any Settings.Business.IFlow).self)!]
            self.relays = [Relux.UI.StateRelay(state)]
        }
    }
}

extension Settings.Module {
    static func buildIoC(router: any Settings.Business.IRouter) -> IoC {
        let ioc = IoC(logger: IoC.Logger(enabled: false))

        ioc.register((any Settings.Business.IRouter).self, lifecycle: .container) { router }
        ioc.register((any Settings.Business.IState).self, lifecycle: .container) { Settings.Business.State() }
        ioc.register((any Settings.Business.IService).self, lifecycle: .container) {
            Settings.Business.Service(databasePath: StateDirectory.path(of: "settings.sqlite"))
        }
        ioc.register((any Settings.Business.IFlow).self, lifecycle: .container) {
            Settings.Business.Flow(
                svc: ioc.get(by: (any Settings.Business.IService).self)!,
                state: ioc.get(by: (any Settings.Business.IState).self)!,
                router: ioc.get(by: (any Settings.Business.IRouter).self)!
            )
        }

        return ioc
    }
}
