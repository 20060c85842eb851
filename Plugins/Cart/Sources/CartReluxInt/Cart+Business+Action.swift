public import CartModels
public import Relux

extension Cart.Business {
    /// What the flow tells its state.
    public enum Action: Relux.Action {
        /// The ticket names the addition: two at once may exceed the limit together, and the second is refused.
        case added(line: Cart.Business.Model.Line, ticket: UInt64)
        case removed(sku: String)
        case requested(request: Cart.Business.Model.Request)
        case failed(error: Cart.Business.Model.Failure)
    }
}
