public import CartModels
internal import CartReluxInt
internal import CartServiceImpl
internal import CartServiceInt
public import Relux
internal import ReluxIoC

extension Cart {
    @MainActor
    public struct Module: Relux.Plugin {
        public nonisolated static let version = "1.0.0"
        public nonisolated static var handles: [any Relux.Effect.Type]? { [Cart.Business.Effect.self] }
        public nonisolated static var emits: [any Relux.Effect.Type]? { [Cart.Business.Effect.self] }
        public nonisolated static var provides: [any Relux.SharedSnapshot.Type] { [Cart.Business.Snapshot.self] }

        private let ioc: IoC

        public let states: [any Relux.AnyState]
        public let sagas: [any Relux.Saga]
        public let relays: [any Relux.StateRelaying]

        /// The price list lies where the environment says.
        ///
        /// - Throws: what the container could not resolve.
        public init() throws { try self.init(directory: Self.stateDirectory) }
        public init(directory: String) throws { try self.init(ioc: Self.buildIoC(directory: directory)) }

        init(ioc: IoC) throws {
            self.ioc = ioc
            let state = try ioc.resolve(Cart.Business.State.self)
            self.states = [state]
            self.sagas = [try ioc.resolve((any Cart.Business.IFlow).self)]
            self.relays = [Relux.UI.StateRelay(state)]
        }
    }
}

extension Cart.Module {
    static func buildIoC(directory: String) -> IoC {
        let ioc = IoC(logger: IoC.Logger(enabled: false))

        ioc.register(Cart.Business.State.self, lifecycle: .container) { Cart.Business.State() }
        ioc.register(
            (any Cart.Business.IService).self,
            real: { Cart.Business.Service(path: directory + "/prices.json") },
            mock: { Cart.Business.ServiceInMemory() })
        ioc.register((any Cart.Business.IFlow).self, lifecycle: .container) {
            Cart.Business.Flow(svc: try ioc.resolve(), state: try ioc.resolve(Cart.Business.State.self))
        }

        return ioc
    }
}
