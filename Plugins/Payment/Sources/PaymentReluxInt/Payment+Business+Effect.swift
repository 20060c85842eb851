public import PaymentModels
public import Relux

extension Payment.Business {
    /// What can be asked of the payment, and what it tells others.
    public enum Effect: Relux.Effect {
        /// Takes the money for an order, once; answers with the receipt. An order that another user has paid is refused, and so is nobody's.
        case capture(orderId: String, amount: Int64, payer: String)
        /// Gives back what was taken from the user for the order, if anything was; what was not taken yet never will be, and what another has paid is
        /// refused. It stays due, and `retryRefunds` asks the service again, until `acknowledge` says that what went back was right: the service's own
        /// word does not end it. For nobody nothing goes back.
        case refund(orderId: String, userId: String, reason: String)
        /// Whoever keeps the order has written down what went back for it: it is due no longer. The answer says when nothing was due.
        case acknowledge(orderId: String, userId: String)
        /// Tries again what is due, that which was tried least first, until the service is found out of order. Nothing while it does already.
        case retryRefunds

        case captured(receipt: Payment.Business.Model.Receipt)
        case paymentFailed(orderId: String, userId: String, error: Payment.Business.Model.Failure)
        /// Cents; 0 when nothing had been taken.
        case refunded(orderId: String, userId: String, amount: Int64)
        case refundFailed(orderId: String, userId: String, error: Payment.Business.Model.Failure)
    }
}
