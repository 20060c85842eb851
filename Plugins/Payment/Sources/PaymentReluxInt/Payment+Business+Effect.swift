public import PaymentModels
public import Relux

extension Payment.Business {
    /// What can be asked of the payment, and what it tells others.
    public enum Effect: Relux.Effect {
        /// Charges for an order, once; answers with the receipt. An order without a user, or paid by another one, is refused.
        case capture(orderId: String, amount: Int64, payer: String)
        /// Refunds the user's charge for the order, if there was one, and prevents a later one; a charge of another user is
        /// refused. The refund stays due, and `retryRefunds` asks the service again, until `acknowledge` confirms the amount: the service's own
        /// answer does not end it. Without a user nothing is refunded.
        case refund(orderId: String, userId: String, reason: String)
        /// The owner of the order has written its refund, which is due no longer. The answer says if nothing was due.
        case acknowledge(orderId: String, userId: String)
        /// Tries the due refunds again, the least tried first, until the service is out of order. Does nothing while a round is under way.
        case retryRefunds

        case captured(receipt: Payment.Business.Model.Receipt)
        case paymentFailed(orderId: String, userId: String, error: Payment.Business.Model.Failure)
        /// Cents; 0 if there was no charge.
        case refunded(orderId: String, userId: String, amount: Int64)
        case refundFailed(orderId: String, userId: String, error: Payment.Business.Model.Failure)
    }
}
