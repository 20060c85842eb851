public import PaymentModels
public import Relux

extension Payment.Business {
    /// What the flow tells its state.
    public enum Action: Relux.Action {
        case refundDue(orderId: String, reason: String)
        case refundDone(orderId: String)
        case captured(receipt: Payment.Business.Model.Receipt)
        case failed(error: Payment.Business.Model.Failure)
    }
}
