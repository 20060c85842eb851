public import Relux

extension SessionOrchestration {
    /// What an interface or the CLI may ask of the orchestrator itself.
    public enum Effect: Relux.Effect {
        /// Ends the session and shows nothing of it any more.
        case teardownSession
        /// Asks Auth whether the session is still accepted; if so, what belongs to it is loaded again.
        case refreshSession
    }
}
