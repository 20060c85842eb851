internal import ErrorHandlingModels
internal import ErrorHandlingReluxInt
public import PaymentModels
internal import PaymentReluxInt
internal import PaymentServiceImpl
internal import PaymentServiceInt
public import Relux
internal import ReluxIoC

extension Payment {
    @MainActor
    public struct Module: Relux.Plugin {
        public nonisolated static let version = "1.0.0"
        public nonisolated static var handles: [any Relux.Effect.Type]? { [Payment.Business.Effect.self] }
        public nonisolated static var emits: [any Relux.Effect.Type]? {
            [Payment.Business.Effect.self, ErrorHandling.Business.Effect.self]
        }
        public nonisolated static var provides: [any Relux.SharedSnapshot.Type] { [Payment.Business.Snapshot.self] }

        private let ioc: IoC

        public let states: [any Relux.AnyState]
        public let sagas: [any Relux.Saga]
        public let relays: [any Relux.StateRelaying]

        /// The environment names the payment service; see the package's README.
        ///
        /// - Throws: what the container could not resolve, a bad value in the environment included.
        public init() throws {
            try self.init(ioc: Self.buildIoC())
        }

        init(ioc: IoC) throws {
            self.ioc = ioc
            let state = try ioc.resolve(Payment.Business.State.self)
            self.states = [state]
            self.sagas = [try ioc.resolve((any Payment.Business.IFlow).self)]
            self.relays = [Relux.UI.StateRelay(state)]
        }
    }
}

extension Payment.Module {
    static func buildIoC() -> IoC {
        let ioc = IoC(logger: IoC.Logger(enabled: false))

        ioc.register(Payment.Business.State.self, lifecycle: .container) { Payment.Business.State() }
        ioc.register(
            (any Payment.Business.IService).self,
            real: { Payment.Business.Service(try Payment.Business.ServiceConfiguration()) },
            mock: { Payment.Business.ServiceInMemory() })
        ioc.register((any Payment.Business.IFlow).self, lifecycle: .container) {
            Payment.Business.Flow(svc: try ioc.resolve(), state: try ioc.resolve(Payment.Business.State.self))
        }

        return ioc
    }
}
