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
    public struct Module: Relux.Plugin {
        public nonisolated static let version = "1.0.0"
        public nonisolated static var handles: [any Relux.Effect.Type]? { [Notes.Business.Effect.self, Orchestration.Business.Request.self] }
        public nonisolated static var emits: [any Relux.Effect.Type]? {
            [
                Notes.Business.Effect.self, Navigation.Business.Effect.self, ErrorHandling.Business.Effect.self,
                Orchestration.Business.Answer.self,
            ]
        }
        public nonisolated static var provides: [any Relux.SharedSnapshot.Type] { [Notes.Business.Snapshot.self] }

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
        public init(router: (any Notes.Business.IRouter)?, directory: String? = nil) throws {
            try self.init(ioc: Self.buildIoC(router: router, directory: directory ?? Self.stateDirectory))
        }

        init(ioc: IoC) throws {
            self.ioc = ioc
            let shown = try ioc.resolve(Notes.UI.State.self)
            self.states = [try ioc.resolve((any Notes.Business.IState).self), try ioc.resolve(Notes.Business.Revisions.self), shown]
            self.sagas = [
                try ioc.resolve((any Notes.Business.IFlow).self),
                Notes.startup(svc: try ioc.resolve(), router: try ioc.resolve()),
            ]
            self.relays = [Relux.UI.StateRelay(shown)]
        }
    }
}

extension Notes.Module {
    static func buildIoC(router: (any Notes.Business.IRouter)?, directory: String) -> IoC {
        let ioc = IoC(logger: IoC.Logger(enabled: false))

        if let router { ioc.register((any Notes.Business.IRouter).self, lifecycle: .container) { router } }
        ioc.register(Notes.Business.State.self, lifecycle: .container) {
            Notes.Business.State(svc: try ioc.resolve())
        }
        ioc.register((any Notes.Business.IState).self, lifecycle: .container) { try ioc.resolve(Notes.Business.State.self) }
        ioc.register(Notes.Business.Revisions.self, lifecycle: .container) { Notes.Business.Revisions() }
        ioc.register(Notes.UI.State.self, lifecycle: .container, onMainActor: {
            Notes.UI.State(following: try ioc.resolve())
        })
        ioc.register(
            (any Notes.Business.IService).self,
            real: { Notes.Business.Service(databasePath: directory + "/notes.sqlite") },
            mock: { Notes.Business.ServiceInMemory() })
        ioc.register((any Notes.Business.IFlow).self, lifecycle: .container) {
            Notes.Business.Flow(svc: try ioc.resolve(), state: try ioc.resolve(), revisions: try ioc.resolve(), router: try ioc.resolve())
        }

        return ioc
    }
}
