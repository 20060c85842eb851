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
        /// The cart belongs to this user from now on. What nobody had put into it is theirs; what another user had is gone. One without an id is a
        /// failure.
        case assign(userId: String)
        /// The cart belongs to nobody and is empty. Orchestrators send it.
        case release
        /// Says what the user wants to buy, and answers with that when others have had their say: with a failure if they said that it was not bought,
        /// and if it is not known, as when another user has taken over the cart meanwhile. The same id asked for twice is one request, whatever the cart has become.
        case checkOut(id: String)
        /// The user's request was carried out: what it took goes out of their cart, once. It changes nothing if the user is not the cart's;
        /// the answer says when no such request is here.
        case bought(id: String, userId: String)
        /// The user's request was not carried out; the cart stays. The answer says when no such request is here.
        case notBought(id: String, userId: String, reason: String)

        case checkOutRequested(request: Cart.Business.Model.Request)
        case cartFailed(error: Cart.Business.Model.Failure)
    }
}
