internal import AuthReluxInt
internal import CartReluxInt
internal import CheckoutReluxInt
internal import PaymentReluxInt
public import Relux

extension CommerceOrchestration {
    /// Leads a purchase from the cart over the payment to the order, and back when a step fails: what was taken is given back.
    ///
    /// It keeps nothing. How far a purchase has come is Checkout's to know, what has to be given back is Payment's; each effect carries the
    /// order's id, under which both do a thing once, and the user's, under which others know it as theirs.
    public actor Saga: Relux.Saga {
        private let refunds: Refunds

        init(_ refunds: Refunds) { self.refunds = refunds }

        public func apply(_ effect: any Relux.Effect) async {
            refunds.begin()
            await handleAuthEffect(effect)
            await handleCartEffect(effect)
            await handleCheckoutEffect(effect)
            await handlePaymentEffect(effect)
        }
    }
}
