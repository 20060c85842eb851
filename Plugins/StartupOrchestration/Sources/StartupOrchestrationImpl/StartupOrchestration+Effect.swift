public import Relux

extension StartupOrchestration {
    /// What an interface or the CLI may ask of the orchestrator itself. It begins by itself when it is ready, and again when a module comes
    /// that contributes something new.
    public enum Effect: Relux.Effect {
        /// Evaluates all contributed actions again; busy while it does so already.
        case begin
        /// Ends the evaluation, even while the modules are still being asked: no further action begins, and the one that runs is
        /// asked to end.
        case cancel
        /// Actions that exclude this mode are left out from now on; null leaves none out. In the example cluster, actions that show a page exclude
        /// `headless`. The variable `RELUX_STARTUP_MODE` of its process sets the first mode.
        case enter(mode: String?)
    }
}
