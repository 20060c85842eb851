public import AuthModels
public import Relux

extension Auth.Business {
    /// What the flow tells its state. The token stays in the process: an action never leaves it.
    public enum Action: Relux.Action {
        case sessionOpened(userId: String, name: String, token: Secret<String>)
        case sessionClosed
        case failed(error: Auth.Business.Model.Failure)
    }
}
