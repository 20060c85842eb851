public import ReluxWire

extension Relux {
    /// A request for work, or a fact that others may react to: it reaches states *and* sagas, here and in other processes.
    ///
    /// A plain `enum Effect: Relux.Effect` is all that an author writes. Its topic, case name and payload come from the type
    /// and from `Codable`; the coded form is the wire format, so labels and case names are a contract with other modules.
    public protocol Effect: Action, Codable {
        /// The type's name on the bus; by default its path without the Swift module, `Auth.Business.Effect`.
        ///
        /// Override it to keep the wire name when the Swift type is renamed.
        static var wireTopic: Topic { get }
        /// What "accepted" means for this topic.
        static var wireDurability: Durability { get }
    }

    /// How long an accepted effect is kept safe; design.md §6.
    public enum Durability: String, Sendable, Codable {
        /// Survives the death of any process.
        case process
        /// Accepted only after it is on the disk; survives power loss.
        case machine
        /// Kept in memory only: no repair after a crash of its publisher, gaps are counted.
        case transient
    }
}

extension Relux.Effect {
    public static var wireTopic: Topic { Relux.topic(of: Self.self) }
    public static var wireDurability: Relux.Durability { .process }
}
