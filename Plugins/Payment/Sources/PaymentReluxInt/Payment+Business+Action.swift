public import PaymentModels
public import Relux

extension Payment.Business {
    /// What the flow tells its state.
    public enum Action: Relux.Action {
        /// It is about to be asked for, perhaps not for the first time.
        case refundDue(orderId: String, userId: String, reason: String)
        case acknowledged(orderId: String, userId: String)
        /// The service has refunded it.
        case refundDone
        case captured(receipt: Payment.Business.Model.Receipt)
        case failed(error: Payment.Business.Model.Failure)
    }
}
