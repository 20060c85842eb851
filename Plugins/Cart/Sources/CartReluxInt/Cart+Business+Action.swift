public import CartModels
public import Relux

extension Cart.Business {
    /// What the flow tells its state.
    public enum Action: Relux.Action {
        case added(line: Cart.Business.Model.Line)
        case requested(request: Cart.Business.Model.Request)
        case failed(error: Cart.Business.Model.Failure)
    }
}
