import ReluxWire

/// The supervisor, as far as it has introduced itself.
struct SupervisorSeat: Sendable {
    struct Supervisor: Sendable {
        var connection: ConnectionID
        var pid: Int32
        /// Brokers before this one that have died under it.
        var brokerDeaths: UInt64
    }

    /// nil while none has introduced itself, or the one that had has fallen silent.
    var supervisor: Supervisor?
    /// The supervisor life that the registry's content belongs to; empty when none is known.
    var instance = ""
}
