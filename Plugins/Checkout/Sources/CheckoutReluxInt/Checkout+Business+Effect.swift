public import CheckoutModels
public import Relux

extension Checkout.Business {
    /// What can be asked of the checkout, and what it tells others.
    ///
    /// An order's id is one purchase of one user: the first who begins it has it. Whatever is asked of it with another user's id is a
    /// failure, `otherUser`, and moves no money: what would place, settle or cancel it is told as `refused`.
    public enum Effect: Relux.Effect {
        /// Begins a purchase; answers with it. An order that is known already is not begun again, whatever became of it: that is told once more,
        /// of one whose money has not gone back yet as `orderFailed`.
        case begin(order: Checkout.Business.Model.Order)
        /// The purchase is paid: makes an order of it, out of what is in stock; answers with the purchase.
        case place(orderId: String, userId: String, receipt: String)
        /// Ends the purchase without an order, or notes how its money fares; answers with it. A placed one stays placed, unless its money has
        /// gone back.
        case close(orderId: String, userId: String, phase: Checkout.Business.Model.Phase, reason: String)
        /// This number of cents is said to have gone back: all of the purchase's total end it, and 0 do if nobody has a receipt for it; what was taken out
        /// of stock goes back, too. Then, and also when nobody knows the purchase, it tells `settled`. Whatever else is said is a failure, and the
        /// purchase waits for its money. Answers with it.
        case settle(orderId: String, userId: String, amount: Int64)
        /// It is not known whether the purchase is paid, and nobody will find out: unless it is placed, no order comes of it, and it is told as
        /// `orderFailed`, so that whatever was taken goes back. Answers with the purchase.
        case cancel(orderId: String, userId: String, reason: String)
        /// Answers with the purchase.
        case status(orderId: String)
        /// This number of pieces of an article can be ordered from now on; without a word of it, as many as anybody wants. The answer says when nobody has
        /// counted the article before.
        case setStock(sku: String, quantity: Int)

        case begun(orderId: String, userId: String, total: Int64)
        /// It was not begun, has ended without an order before, or is another user's; nothing goes back because of it.
        case refused(orderId: String, userId: String, error: Checkout.Business.Model.Failure)
        case orderPlaced(orderId: String, userId: String)
        /// It was paid and cannot be ordered: whoever took the money has to give it back.
        case orderFailed(orderId: String, userId: String, error: Checkout.Business.Model.Failure)
        /// That the money has gone back is written down, or nobody here waits for it: whoever gives it back may forget it.
        case settled(orderId: String, userId: String)
    }
}
