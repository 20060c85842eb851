internal import ErrorHandlingModels
internal import ErrorHandlingReluxInt
internal import NavigationModels
internal import NavigationReluxInt
public import NotesModels
public import NotesReluxInt
internal import NotesServiceImpl
internal import NotesServiceInt
public import Relux
internal import ReluxIoC
internal import ReluxOrchestration

extension Notes {
    @MainActor
    public struct Module: Relux.Module {
        private let ioc: IoC

        public let states: [any Relux.AnyState]
        public let sagas: [any Relux.Saga]
        public let relays: [any Relux.StateRelaying]
        public nonisolated var handles: [any Relux.Effect.Type]? { [Notes.Business.Effect.self, Orchestration.Business.Request.self] }
        public nonisolated var emits: [any Relux.Effect.Type]? {
            [
                Notes.Business.Effect.self, Navigation.Business.Effect.self, ErrorHandling.Business.Effect.self,
                Orchestration.Business.Answer.self,
            ]
        }

        /// Routes through Navigation. The files lie in `directory`, by default where the environment says.
        public init(directory: String? = nil) {
            self.init(router: RouterAdapter(), directory: directory)
        }

        public init(router: any Notes.Business.IRouter, directory: String? = nil) {
            self.init(ioc: Self.buildIoC(router: router, directory: directory ?? StateDirectory.path))
        }

        init(ioc: IoC) {
            self.ioc = ioc
            let shown = ioc.get(by: Notes.UI.State.self)!
            self.states = [ioc.get(by: (any Notes.Business.IState).self)!, shown]
            self.sagas = [
                ioc.get(by: (any Notes.Business.IFlow).self)!,
                Notes.startup(
                    svc: ioc.get(by: (any Notes.Business.IService).self)!, router: ioc.get(by: (any Notes.Business.IRouter).self)!),
            ]
            self.relays = [Relux.UI.StateRelay(shown)]
        }
    }
}

extension Notes.Module {
    static func buildIoC(router: any Notes.Business.IRouter, directory: String) -> IoC {
        let ioc = IoC(logger: IoC.Logger(enabled: false))

        ioc.register((any Notes.Business.IRouter).self, lifecycle: .container) { router }
        ioc.register(Notes.Business.State.self, lifecycle: .container) { Notes.Business.State() }
        ioc.register((any Notes.Business.IState).self, lifecycle: .container) { ioc.get(by: Notes.Business.State.self)! }
        ioc.register(Notes.UI.State.self, lifecycle: .container, onMainActor: {
            Notes.UI.State(following: ioc.get(by: Notes.Business.State.self)!)
        })
        ioc.register((any Notes.Business.IService).self, lifecycle: .container) {
            Notes.Business.Service(databasePath: directory + "/notes.sqlite")
        }
        ioc.register((any Notes.Business.IFlow).self, lifecycle: .container) {
            Notes.Business.Flow(
                svc: ioc.get(by: (any Notes.Business.IService).self)!,
                state: ioc.get(by: (any Notes.Business.IState).self)!,
                router: ioc.get(by: (any Notes.Business.IRouter).self)!
            )
        }

        return ioc
    }
}
