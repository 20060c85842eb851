public import CartModels
public import Relux

extension Cart.Business {
    /// What can be asked of the cart, and what it tells others.
    public enum Effect: Relux.Effect {
        /// Puts more of an article into the cart; answers with its line.
        case add(sku: String, quantity: Int)
        /// Takes the article out, however much of it there is.
        case remove(sku: String)
        case clear
        /// The cart belongs to this user from now on.
        case assign(userId: String)
        /// The cart belongs to nobody and is empty.
        case release
        /// Says what the user wants to buy. What follows is told by others; the cart stays until they clear it.
        case checkOut(id: String)

        case checkOutRequested(request: Cart.Business.Model.Request)
        case cartFailed(error: Cart.Business.Model.Failure)
    }
}
