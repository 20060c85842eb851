public import CartModels
public import Relux

extension Cart.Business {
    /// What the flow tells its state.
    public enum Action: Relux.Action {
        /// The ticket is whoever adds it: two at once may be too many together, and the second is refused.
        case added(line: Cart.Business.Model.Line, ticket: UInt64)
        case removed(sku: String)
        case requested(request: Cart.Business.Model.Request)
        case failed(error: Cart.Business.Model.Failure)
    }
}
