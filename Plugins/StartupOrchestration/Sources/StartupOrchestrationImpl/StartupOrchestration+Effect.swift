public import Relux

extension StartupOrchestration {
    /// What an interface or the CLI may ask of the orchestrator itself. It begins by itself when it is ready, and again when a module comes
    /// that contributes something new.
    public enum Effect: Relux.Effect {
        /// Looks again at all that is contributed; busy while it does already.
        case begin
        /// Ends what is under way, also while the modules are still asked what they contribute: no further action begins, and the one that runs is
        /// asked to end.
        case cancel
        /// Actions that exclude this mode are not asked from now on; null: all are. In the example cluster, those that show something exclude
        /// `headless`. Where it begins says the variable `RELUX_STARTUP_MODE` of its process.
        case enter(mode: String?)
    }
}
