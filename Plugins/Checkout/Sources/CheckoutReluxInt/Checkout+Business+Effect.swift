public import CheckoutModels
public import Relux

extension Checkout.Business {
    /// What can be asked of the checkout, and what it tells others.
    ///
    /// An order's id belongs to the first user who begins a purchase with it. A request of another user is a
    /// failure, `otherUser` (to begin it: `invalidOrder`), and moves no money: if it would place, settle or cancel it, it is told as `refused`.
    public enum Effect: Relux.Effect {
        /// Begins a purchase; answers with it. A known order is not begun again: its phase is told once more,
        /// as `orderFailed` if it waits for its refund.
        case begin(order: Checkout.Business.Model.Order)
        /// The purchase is paid: places the order out of the stock; answers with the purchase.
        case place(orderId: String, userId: String, receipt: String)
        /// Ends the purchase without an order, or notes the state of its refund; answers with it. A placed purchase stays placed, unless it was
        /// refunded.
        case close(orderId: String, userId: String, phase: Checkout.Business.Model.Phase, reason: String)
        /// This number of cents was refunded. The total ends the purchase, and so does 0 if it has no receipt; its articles go back into
        /// stock. Then, and also if the purchase is unknown, it tells `settled`. Any other amount is a failure, and the
        /// purchase still waits for its refund. Answers with it.
        case settle(orderId: String, userId: String, amount: Int64)
        /// Nobody will find out whether the purchase was paid: unless it is placed, it never becomes an order, and is told as
        /// `orderFailed`, so that it is refunded. Answers with the purchase.
        case cancel(orderId: String, userId: String, reason: String)
        /// Answers with the purchase.
        case status(orderId: String)
        /// Sets how many pieces of an article can be ordered; without it the number is unlimited. The answer says if nobody has
        /// counted the article before.
        case setStock(sku: String, quantity: Int)

        case begun(orderId: String, userId: String, total: Int64)
        /// It was not begun, ended without an order, or is another user's; nothing is refunded.
        case refused(orderId: String, userId: String, error: Checkout.Business.Model.Failure)
        case orderPlaced(orderId: String, userId: String)
        /// It was paid and cannot be ordered: Payment has to refund it.
        case orderFailed(orderId: String, userId: String, error: Checkout.Business.Model.Failure)
        /// The refund has been written, or nobody here waits for it: Payment may forget it.
        case settled(orderId: String, userId: String)
    }
}
