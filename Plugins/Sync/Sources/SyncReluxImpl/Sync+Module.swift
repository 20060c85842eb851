public import SyncModels
internal import SyncReluxInt
internal import SyncServiceImpl
internal import SyncServiceInt
public import Relux
internal import ReluxIoC

extension Sync {
    @MainActor
    public struct Module: Relux.Plugin {
        public nonisolated static let version = "1.0.0"
        public nonisolated static var handles: [any Relux.Effect.Type]? { [Sync.Business.Effect.self] }
        public nonisolated static var emits: [any Relux.Effect.Type]? { [Sync.Business.Effect.self] }
        public nonisolated static var provides: [any Relux.SharedSnapshot.Type] { [Sync.Business.Snapshot.self] }

        private let ioc: IoC

        public let states: [any Relux.AnyState]
        public let sagas: [any Relux.Saga]
        public let relays: [any Relux.StateRelaying]

        /// The files lie where the environment says.
        ///
        /// - Throws: what the container could not resolve.
        public init() throws { try self.init(directory: Self.stateDirectory) }
        public init(directory: String) throws { try self.init(ioc: Self.buildIoC(directory: directory)) }

        init(ioc: IoC) throws {
            self.ioc = ioc
            let state = try ioc.resolve(Sync.Business.State.self)
            self.states = [state]
            self.sagas = [try ioc.resolve((any Sync.Business.IFlow).self)]
            self.relays = [Relux.UI.StateRelay(state)]
        }
    }
}

extension Sync.Module {
    static func buildIoC(directory: String) -> IoC {
        let ioc = IoC(logger: IoC.Logger(enabled: false))

        ioc.register(Sync.Business.State.self, lifecycle: .container) { Sync.Business.State() }
        ioc.register(
            (any Sync.Business.IService).self,
            real: { Sync.Business.Service(directory: directory + "/remote") },
            mock: { Sync.Business.ServiceInMemory() })
        ioc.register((any Sync.Business.IFlow).self, lifecycle: .container) {
            Sync.Business.Flow(svc: try ioc.resolve(), state: try ioc.resolve(Sync.Business.State.self))
        }

        return ioc
    }
}
