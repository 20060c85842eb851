public import ErrorHandlingModels
public import Relux

extension ErrorHandling.Business {
    /// Errors on their way to the one place that keeps them.
    public enum Effect: Relux.Effect {
        case track(error: ErrorHandling.Business.Model.TrackedError)
        /// Forgets the errors that are shown; what is kept on disk stays.
        case clear
    }

    public enum Action: Relux.Action {
        case tracked(ErrorHandling.Business.Model.Entry)
    }
}
