internal import AuthReluxInt
internal import CartReluxInt
internal import CheckoutReluxInt
internal import PaymentReluxInt
public import Relux

extension CommerceOrchestration {
    public struct Module: Relux.Module {
        public let states: [any Relux.AnyState] = []  // Always empty
        public let sagas: [any Relux.Saga]

        public var handles: [any Relux.Effect.Type]? {
            [Auth.Business.Effect.self, Cart.Business.Effect.self, Checkout.Business.Effect.self, Payment.Business.Effect.self]
        }
        public var emits: [any Relux.Effect.Type]? {
            [Auth.Business.Effect.self, Cart.Business.Effect.self, Checkout.Business.Effect.self, Payment.Business.Effect.self]
        }

        public init() {
            self.sagas = [Saga()]
        }
    }
}
