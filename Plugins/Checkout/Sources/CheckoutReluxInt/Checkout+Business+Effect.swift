public import CheckoutModels
public import Relux

extension Checkout.Business {
    /// What can be asked of the checkout, and what it tells others.
    public enum Effect: Relux.Effect {
        /// Begins a purchase; answers with it. An order that is known already is not begun again, whatever became of it.
        case begin(order: Checkout.Business.Model.Order)
        /// The purchase is paid: makes an order of it, out of what is in stock; answers with the purchase.
        case place(orderId: String, receipt: String)
        /// Ends the purchase without an order, or notes how its money fares. A placed one stays placed.
        case close(orderId: String, phase: Checkout.Business.Model.Phase, reason: String)
        /// Answers with the purchase.
        case status(orderId: String)
        /// So many pieces of an article can be ordered from now on; without a word of it, as many as anybody wants.
        case setStock(sku: String, quantity: Int)

        case begun(orderId: String, userId: String, total: Int64)
        case orderPlaced(orderId: String)
        /// It was paid and cannot be ordered: whoever took the money has to give it back.
        case orderFailed(orderId: String, error: Checkout.Business.Model.Failure)
    }
}
