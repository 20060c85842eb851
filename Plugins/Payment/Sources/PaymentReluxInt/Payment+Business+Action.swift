public import PaymentModels
public import Relux

extension Payment.Business {
    /// What the flow tells its state.
    public enum Action: Relux.Action {
        /// About to be asked for, once more if it was before.
        case refundDue(orderId: String, userId: String, reason: String)
        case acknowledged(orderId: String, userId: String)
        /// The service has given it back.
        case refundDone
        case captured(receipt: Payment.Business.Model.Receipt)
        case failed(error: Payment.Business.Model.Failure)
    }
}
