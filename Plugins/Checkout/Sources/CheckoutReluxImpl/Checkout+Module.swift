public import CheckoutModels
public import CheckoutReluxInt
internal import CheckoutServiceImpl
internal import CheckoutServiceInt
internal import NavigationModels
internal import NavigationReluxInt
public import Relux
internal import ReluxIoC

extension Checkout {
    @MainActor
    public struct Module: Relux.Plugin {
        public nonisolated static let version = "1.0.0"
        public nonisolated static var handles: [any Relux.Effect.Type]? { [Checkout.Business.Effect.self] }
        public nonisolated static var emits: [any Relux.Effect.Type]? { [Checkout.Business.Effect.self, Navigation.Business.Effect.self] }
        public nonisolated static var provides: [any Relux.SharedSnapshot.Type] { [Checkout.Business.Snapshot.self] }

        private let ioc: IoC

        public let states: [any Relux.AnyState]
        public let sagas: [any Relux.Saga]
        public let relays: [any Relux.StateRelaying]

        /// Routes through Navigation. The files lie where the environment says.
        ///
        /// - Throws: what the container could not resolve.
        public init() throws { try self.init(directory: Self.stateDirectory) }
        public init(directory: String) throws { try self.init(router: RouterAdapter(), directory: directory) }

        public init(router: (any Checkout.Business.IRouter)?, directory: String? = nil) throws {
            try self.init(ioc: Self.buildIoC(router: router, directory: directory ?? Self.stateDirectory))
        }

        init(ioc: IoC) throws {
            self.ioc = ioc
            let state = try ioc.resolve(Checkout.Business.State.self)
            self.states = [state]
            self.sagas = [try ioc.resolve((any Checkout.Business.IFlow).self)]
            self.relays = [Relux.UI.StateRelay(state)]
        }
    }
}

extension Checkout.Module {
    static func buildIoC(router: (any Checkout.Business.IRouter)?, directory: String) -> IoC {
        let ioc = IoC(logger: IoC.Logger(enabled: false))

        if let router { ioc.register((any Checkout.Business.IRouter).self, lifecycle: .container) { router } }
        ioc.register(Checkout.Business.State.self, lifecycle: .container) { Checkout.Business.State() }
        ioc.register(
            (any Checkout.Business.IService).self,
            real: { Checkout.Business.Service(path: directory + "/orders.json") },
            mock: { Checkout.Business.ServiceInMemory() })
        ioc.register((any Checkout.Business.IFlow).self, lifecycle: .container) {
            Checkout.Business.Flow(svc: try ioc.resolve(), router: try ioc.resolve())
        }

        return ioc
    }
}
