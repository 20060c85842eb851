internal import ErrorHandlingModels
internal import ErrorHandlingReluxInt
public import FilesModels
internal import FilesReluxInt
internal import FilesServiceImpl
internal import FilesServiceInt
public import Relux
internal import ReluxIoC

extension Files {
    @MainActor
    public struct Module: Relux.Plugin {
        public nonisolated static let version = "1.0.0"
        public nonisolated static var handles: [any Relux.Effect.Type]? { [Files.Business.Effect.self] }
        public nonisolated static var emits: [any Relux.Effect.Type]? { [Files.Business.Effect.self, ErrorHandling.Business.Effect.self] }
        public nonisolated static var provides: [any Relux.SharedSnapshot.Type] { [Files.Business.Snapshot.self] }

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
            let state = try ioc.resolve(Files.Business.State.self)
            self.states = [state]
            self.sagas = [try ioc.resolve((any Files.Business.IFlow).self)]
            self.relays = [Relux.UI.StateRelay(state)]
        }
    }
}

extension Files.Module {
    static func buildIoC(directory: String) -> IoC {
        let ioc = IoC(logger: IoC.Logger(enabled: false))

        ioc.register(Files.Business.State.self, lifecycle: .container) {
            Files.Business.State(svc: try ioc.resolve())
        }
        ioc.register(
            (any Files.Business.IService).self,
            real: { Files.Business.Service(directory: directory) },
            mock: { Files.Business.ServiceInMemory() })
        ioc.register((any Files.Business.IFlow).self, lifecycle: .container) {
            Files.Business.Flow(svc: try ioc.resolve(), state: try ioc.resolve(Files.Business.State.self))
        }

        return ioc
    }
}
