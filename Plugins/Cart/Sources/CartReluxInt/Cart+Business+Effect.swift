public import CartModels
public import Relux

extension Cart.Business {
    /// What can be asked of the cart, and what it tells others.
    public enum Effect: Relux.Effect {
        /// Puts more of an article into the cart; answers with its line.
        case add(sku: String, quantity: Int)
        /// Takes the article out, however much of it there is; a failure when there is none.
        case remove(sku: String)
        case clear
        /// Gives the cart to this user: lines without an owner become theirs, lines of another user are removed. An empty id is a
        /// failure.
        case assign(userId: String)
        /// The cart belongs to nobody and is empty. Orchestrators send it.
        case release
        /// Tells others what the user wants to buy, and answers with it once they have answered: with a failure if the purchase failed,
        /// or if its outcome is unknown, for example because another user has taken over the cart. The same id twice is one request, whatever the
        /// cart holds by then.
        case checkOut(id: String)
        /// The user's request was carried out: its pieces leave the cart, once. Nothing changes if the cart is not the user's;
        /// the answer says when no such request is here.
        case bought(id: String, userId: String)
        /// The user's request was not carried out; the cart stays. The answer says when no such request is here.
        case notBought(id: String, userId: String, reason: String)

        case checkOutRequested(request: Cart.Business.Model.Request)
        case cartFailed(error: Cart.Business.Model.Failure)
    }
}
