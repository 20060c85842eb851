public import ReluxWire

/// What a module says of itself before it may join: identity, kind, and the topics that it emits and handles.
///
/// `relux module pack` writes it into the manifest, the loaded library repeats it at registration, and the broker
/// refuses a module whose two declarations differ. The broker derives from it who connects to whom.
public struct ModuleDeclaration: Codable, Sendable, Hashable {
    /// The module's place in the start order.
    public enum Kind: String, Codable, Sendable, Hashable, CaseIterable {
        case infrastructure, domain, orchestrator
    }

    /// How the module's handlers share it.
    public enum Handling: String, Codable, Sendable, Hashable {
        /// Handlers start in order and may overlap where one of them awaits.
        case concurrent
        /// One handler at a time, from its first line to its last.
        case serial
    }

    public var id: ModuleID
    /// Semantic version of the plugin, for example `1.4.0`.
    public var version: String
    public var kind: Kind
    public var handling: Handling
    /// Topics of which the module handles every effect.
    public var handles: [Topic]
    /// Topics that the module may emit; the emission of any other is refused.
    public var emits: [Topic]
    /// Snapshot types that the module owns, and those of others that it relays.
    public var provides: [Topic]
    public var observes: [Topic]
    /// Type names of the states and flows it registers; an orchestrator has none of either.
    public var states: [String]
    public var flows: [String]

    public init(
        id: ModuleID, version: String, kind: Kind, handling: Handling = .concurrent,
        handles: [Topic], emits: [Topic], provides: [Topic] = [], observes: [Topic] = [],
        states: [String] = [], flows: [String] = []
    ) {
        self.id = id
        self.version = version
        self.kind = kind
        self.handling = handling
        self.handles = handles
        self.emits = emits
        self.provides = provides
        self.observes = observes
        self.states = states
        self.flows = flows
    }
}

extension ModuleDeclaration {
    /// Why one of its topics cannot travel, with the type, its length, the limit and the remedy; nil if all can.
    package var topicFault: String? {
        (handles + emits).lazy.compactMap { $0.fault(as: .effect) }.first
            ?? (provides + observes).lazy.compactMap { $0.fault(as: .snapshot) }.first
    }
}
