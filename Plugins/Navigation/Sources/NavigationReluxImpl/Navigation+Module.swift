public import NavigationModels
internal import NavigationReluxInt
internal import NavigationServiceImpl
internal import NavigationServiceInt
public import Relux
internal import ReluxIoC

extension Navigation {
    @MainActor
    public struct Module: Relux.Plugin {
        public nonisolated static let version = "1.0.0"
        public nonisolated static var kind: Relux.ModuleKind { .infrastructure }
        public nonisolated static var handles: [any Relux.Effect.Type]? { [Navigation.Business.Effect.self] }
        public nonisolated static var emits: [any Relux.Effect.Type]? { [Navigation.Business.Effect.self] }
        public nonisolated static var provides: [any Relux.SharedSnapshot.Type] { [Navigation.Business.Snapshot.self] }

        private let ioc: IoC

        public let states: [any Relux.AnyState]
        public let sagas: [any Relux.Saga]
        public let relays: [any Relux.StateRelaying]

        public init() {
            self.init(ioc: Self.buildIoC())
        }

        init(ioc: IoC) {
            self.ioc = ioc
            let state = ioc.get(by: (any Navigation.Business.IState).self)!
            self.states = [state]
            self.sagas = [ioc.get(by: (any Navigation.Business.IFlow).self)!]
            self.relays = [Relux.UI.StateRelay(state)]
        }
    }
}

extension Navigation.Module {
    static func buildIoC() -> IoC {
        let ioc = IoC(logger: IoC.Logger(enabled: false))

        ioc.register((any Navigation.Business.IState).self, lifecycle: .container) { Navigation.Business.State() }
        ioc.register((any Navigation.Business.IService).self, lifecycle: .container) { Navigation.Business.Service() }
        ioc.register((any Navigation.Business.IFlow).self, lifecycle: .container) {
            Navigation.Business.Flow(
                svc: ioc.get(by: (any Navigation.Business.IService).self)!, state: ioc.get(by: (any Navigation.Business.IState).self)!)
        }

        return ioc
    }
}
