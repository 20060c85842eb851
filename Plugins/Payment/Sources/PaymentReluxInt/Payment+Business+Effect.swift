public import PaymentModels
public import Relux

extension Payment.Business {
    /// What can be asked of the payment, and what it tells others.
    public enum Effect: Relux.Effect {
        /// Takes the money for an order, once; answers with the receipt.
        case capture(orderId: String, amount: Int64, payer: String)
        /// Gives back what was taken for the order, if anything was; what was not taken yet never will be. It stays due until it is done.
        case refund(orderId: String, reason: String)
        /// Tries again what is due.
        case retryRefunds

        case captured(receipt: Payment.Business.Model.Receipt)
        case paymentFailed(orderId: String, error: Payment.Business.Model.Failure)
        /// Cents; 0 when nothing had been taken.
        case refunded(orderId: String, amount: Int64)
        case refundFailed(orderId: String, error: Payment.Business.Model.Failure)
    }
}
