internal import AuthReluxInt
internal import CartReluxInt
internal import CheckoutReluxInt
internal import PaymentReluxInt
public import Relux

extension CommerceOrchestration {
    /// Leads a purchase from the cart through the payment to the order, and refunds it if a step fails.
    ///
    /// It keeps nothing. Checkout knows the purchase's phase, Payment its due refund; each effect carries the
    /// order's id, by which both do a thing once, and the user's.
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
