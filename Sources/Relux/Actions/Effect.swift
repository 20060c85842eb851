public import ReluxWire

extension Relux {
    /// A request for work, or a fact that others may react to: it reaches states *and* sagas, here and in other processes.
    ///
    /// A plain `enum Effect: Relux.Effect` is all that an author writes. Its topic, case name and payload come from the type
    /// and from `Codable`; the coded form is the wire format, so labels and case names are a contract with other modules.
    public protocol Effect: Action, WireCodable {
        /// The type's name on the bus; by default its path without the Swift module, `Auth.Business.Effect`.
        ///
        /// Override it to keep the wire name when the Swift type is renamed.
        static var wireTopic: Topic { get }
        /// The meaning of "accepted" for this topic; `process` when nothing else is said.
        ///
        ///     static var wireDurability: Relux.Durability { .machine }
        ///
        /// It is a promise to all who use the topic: a publisher may promise more than its hearers ask for, never less, so that a change is
        /// rolled out publishers first when it is for more, hearers first when it is for less.
        static var wireDurability: Durability { get }
    }

    /// How long an accepted effect is kept safe, from little to much; see the page Design, "What a dispatch promises".
    public enum Durability: String, Sendable, Hashable, Codable, CaseIterable, Comparable {
        /// Kept in memory only: no repair, no dead letters; gaps are counted. An await is answered from memory, `lost` when the recipient's process
        /// dies with it.
        case transient
        /// Survives the death of any process.
        case process
        /// Published, and reported accepted, only after it is on the disk; survives power loss.
        case machine

        public static func < (left: Self, right: Self) -> Bool { left.rank < right.rank }

        private var rank: Int {
            switch self {
            case .transient: 0
            case .process: 1
            case .machine: 2
            }
        }
    }
}

extension Relux.Effect {
    public static var wireTopic: Topic { Relux.topic(of: Self.self) }
    public static var wireDurability: Relux.Durability { .process }
}
