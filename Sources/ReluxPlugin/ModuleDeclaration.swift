public import Relux
public import ReluxWire

/// The account of itself that a module gives before it may join: identity, kind, and the topics that it emits and handles.
///
/// `relux module pack` writes it into the manifest, the loaded library repeats it at registration, and the broker
/// refuses a module whose two declarations differ. The broker derives from it who connects to whom.
public struct ModuleDeclaration: Codable, Sendable, Hashable {
    /// The module's place in the start order.
    public typealias Kind = Relux.ModuleKind

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
    /// The topics that it emits or handles whose durability is not `process`; see ``durability(of:)``.
    public var durabilities: [Topic: Relux.Durability]
    /// Topics that the ingress takes while the module keeps the cluster's start from being over; nil for a module without a ``Relux/StartBarrier``.
    public var startBarrier: [Topic]?

    public init(
        id: ModuleID, version: String, kind: Kind, handling: Handling = .concurrent,
        handles: [Topic], emits: [Topic], provides: [Topic] = [], observes: [Topic] = [],
        durabilities: [Topic: Relux.Durability] = [:], startBarrier: [Topic]? = nil
    ) {
        self.id = id
        self.version = version
        self.kind = kind
        self.handling = handling
        self.handles = handles
        self.emits = emits
        self.provides = provides
        self.observes = observes
        self.durabilities = durabilities.filter { $0.value != .process }
        self.startBarrier = startBarrier
    }
}

extension ModuleDeclaration {
    private enum CodingKeys: String, CodingKey {
        case id, version, kind, handling, handles, emits, provides, observes, durabilities, startBarrier
    }

    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        self.init(
            id: try container.decode(ModuleID.self, forKey: .id), version: try container.decode(String.self, forKey: .version),
            kind: try container.decode(Kind.self, forKey: .kind), handling: try container.decode(Handling.self, forKey: .handling),
            handles: try container.decode([Topic].self, forKey: .handles), emits: try container.decode([Topic].self, forKey: .emits),
            provides: try container.decode([Topic].self, forKey: .provides),
            observes: try container.decode([Topic].self, forKey: .observes),
            // Absent where all is `process`.
            durabilities: try container.decodeIfPresent([Topic: Relux.Durability].self, forKey: .durabilities) ?? [:],
            startBarrier: try container.decodeIfPresent([Topic].self, forKey: .startBarrier))
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(id, forKey: .id)
        try container.encode(version, forKey: .version)
        try container.encode(kind, forKey: .kind)
        try container.encode(handling, forKey: .handling)
        try container.encode(handles, forKey: .handles)
        try container.encode(emits, forKey: .emits)
        try container.encode(provides, forKey: .provides)
        try container.encode(observes, forKey: .observes)
        if !durabilities.isEmpty { try container.encode(durabilities, forKey: .durabilities) }
        try container.encodeIfPresent(startBarrier, forKey: .startBarrier)
    }
}

extension ModuleDeclaration {
    /// Why one of its topics cannot travel, with the type, its length, the limit and the remedy; nil if all can.
    package var topicFault: String? {
        (handles + emits + (startBarrier ?? [])).lazy.compactMap { $0.fault(as: .effect) }.first
            ?? (provides + observes).lazy.compactMap { $0.fault(as: .snapshot) }.first
    }
}
