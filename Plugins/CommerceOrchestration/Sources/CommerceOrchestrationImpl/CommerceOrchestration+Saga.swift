internal import AuthReluxInt
internal import CartReluxInt
internal import CheckoutReluxInt
internal import PaymentReluxInt
public import Relux

extension CommerceOrchestration {
    /// Leads a purchase from the cart over the payment to the order, and back when a step fails: what was taken is given back.
    ///
    /// It keeps nothing. How far a purchase has come is Checkout's to know, what has to be given back is Payment's; each effect carries the
    /// order's id, under which both do a thing once.
    public actor Saga: Relux.Saga {
        public init() {}

        public func apply(_ effect: any Relux.Effect) async {
            await handleAuthEffect(effect)
            await handleCartEffect(effect)
            await handleCheckoutEffect(effect)
            await handlePaymentEffect(effect)
        }
    }
}
