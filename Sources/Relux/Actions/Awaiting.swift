extension Relux {
    /// The recipients whose answers an await waits for.
    ///
    /// A recipient is *absent* when nothing that goes on by itself brings it: it waits for a requirement that nobody provides, is quarantined, or
    /// its process is gone and is not started again. A module that starts, recovers, is upgraded or is started again after a death is present.
    public enum Awaiting: Sendable, Hashable {
        /// All but those that are known to be absent, or become so meanwhile: these stand in the result as
        /// ``ActionResult/Status/parked``, with the reason, and handle the effect when they are back.
        case present
        /// All of them, up to the deadline.
        case everyone
    }
}
