public import CheckoutModels
public import Relux

extension Checkout.Business {
    /// What can be asked of the checkout, and what it tells others.
    public enum Effect: Relux.Effect {
        /// Begins a purchase; answers with it. An order that is known already is not begun again, whatever became of it: that is told once more,
        /// of one whose money has not gone back yet as `orderFailed`.
        case begin(order: Checkout.Business.Model.Order)
        /// The purchase is paid: makes an order of it, out of what is in stock; answers with the purchase.
        case place(orderId: String, receipt: String)
        /// Ends the purchase without an order, or notes how its money fares; answers with it. A placed one stays placed, unless its money has
        /// gone back.
        case close(orderId: String, phase: Checkout.Business.Model.Phase, reason: String)
        /// So many cents are said to have gone back: all of the purchase's total end it, and 0 do if nobody has a receipt for it. Whatever else is
        /// said is a failure, and the purchase waits for its money. Answers with it.
        case settle(orderId: String, amount: Int64)
        /// It is not known whether the purchase is paid, and nobody will find out: unless it is placed, no order comes of it, and it is told as
        /// `orderFailed`, so that whatever was taken goes back. Answers with the purchase.
        case cancel(orderId: String, reason: String)
        /// Answers with the purchase.
        case status(orderId: String)
        /// So many pieces of an article can be ordered from now on; without a word of it, as many as anybody wants.
        case setStock(sku: String, quantity: Int)

        case begun(orderId: String, userId: String, total: Int64)
        /// It was not begun, or has ended without an order before; nothing was paid because of it.
        case refused(orderId: String, error: Checkout.Business.Model.Failure)
        case orderPlaced(orderId: String)
        /// It was paid and cannot be ordered: whoever took the money has to give it back.
        case orderFailed(orderId: String, error: Checkout.Business.Model.Failure)
    }
}
