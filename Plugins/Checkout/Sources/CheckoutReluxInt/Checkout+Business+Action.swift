public import CheckoutModels
public import Relux

extension Checkout.Business {
    /// What the flow tells its state.
    public enum Action: Relux.Action {
        case changed(purchase: Checkout.Business.Model.Purchase)
        case failed(error: Checkout.Business.Model.Failure)
    }
}
