public import Relux
public import ReluxWire

/// The promises of a module's interface to others: the fields of every case of its effects, and its snapshots.
///
/// `relux module pack` extracts it from the built interface; `effect send` checks input against it, an upgrade
/// compares two of them.
public struct Contract: Codable, Sendable, Hashable {
    /// Sorted by topic.
    public var topics: [TopicContract]
    /// Sorted by topic.
    public var snapshots: [SnapshotContract]

    public init(topics: [TopicContract] = [], snapshots: [SnapshotContract] = []) {
        self.topics = topics.sorted { $0.topic < $1.topic }
        self.snapshots = snapshots.sorted { $0.topic < $1.topic }
    }
}

/// One effect type.
public struct TopicContract: Codable, Sendable, Hashable {
    public let topic: Topic
    /// In the order of the source. An effect that is a struct has one case with an empty name.
    public let cases: [CaseContract]
    /// Not part of the fingerprint: it changes no byte of an effect.
    public let durability: Relux.Durability
    public let fingerprint: ContractFingerprint

    public init(topic: Topic, cases: [CaseContract], durability: Relux.Durability = .process) {
        self.topic = topic
        self.cases = cases
        self.durability = durability
        fingerprint = ContractFingerprint(of: "\(topic)|\(CaseContract.canonicalText(cases))")
    }

    private enum CodingKeys: String, CodingKey { case topic, cases, durability, fingerprint }

    /// - Throws: `DecodingError` also when the fingerprint is not the one of the fields beside it.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        self.init(
            topic: try container.decode(Topic.self, forKey: .topic),
            cases: try container.decode([CaseContract].self, forKey: .cases),
            durability: try container.decodeIfPresent(Relux.Durability.self, forKey: .durability) ?? .process)
        let written = try container.decode(ContractFingerprint.self, forKey: .fingerprint)
        guard written == fingerprint else {
            throw DecodingError.dataCorruptedError(
                forKey: .fingerprint, in: container,
                debugDescription:
                    "contract of \(topic) has fingerprint \(written), its fields have \(fingerprint); pack it again")
        }
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(topic, forKey: .topic)
        try container.encode(cases, forKey: .cases)
        if durability != .process { try container.encode(durability, forKey: .durability) }
        try container.encode(fingerprint, forKey: .fingerprint)
    }
}

/// One snapshot type.
public struct SnapshotContract: Codable, Sendable, Hashable {
    public let topic: Topic
    public let shape: PayloadShape
    public let fingerprint: ContractFingerprint

    public init(topic: Topic, shape: PayloadShape) {
        self.topic = topic
        self.shape = shape
        fingerprint = ContractFingerprint(of: "\(topic)|\(shape.canonicalText)")
    }

    private enum CodingKeys: String, CodingKey { case topic, shape, fingerprint }

    /// - Throws: `DecodingError` also when the fingerprint is not the one of the shape beside it.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        self.init(
            topic: try container.decode(Topic.self, forKey: .topic),
            shape: try container.decode(PayloadShape.self, forKey: .shape))
        let written = try container.decode(ContractFingerprint.self, forKey: .fingerprint)
        guard written == fingerprint else {
            throw DecodingError.dataCorruptedError(
                forKey: .fingerprint, in: container,
                debugDescription:
                    "contract of \(topic) has fingerprint \(written), its shape has \(fingerprint); pack it again")
        }
    }
}

/// One case of an effect or of a nested enum.
public struct CaseContract: Codable, Sendable, Hashable {
    public var name: String
    public var fields: [FieldContract]
    /// The source's comment on a topic's case, for people; nil when there is none. Not part of the fingerprint.
    public var doc: String?

    public init(name: String, fields: [FieldContract] = [], doc: String? = nil) {
        self.name = name
        self.fields = fields
        self.doc = doc
    }

    static func canonicalText(_ cases: [CaseContract]) -> String {
        cases.map { "\($0.name)(\(FieldContract.canonicalText($0.fields)))" }.sorted().joined(separator: "|")
    }
}

/// One associated value or stored property.
public struct FieldContract: Codable, Sendable, Hashable {
    /// The key on the wire; `_0`, `_1`, … for an associated value without a label.
    public var label: String
    /// The type as the source has it, without the question mark of an optional.
    public var type: String
    /// The field may be missing or null.
    public var optional: Bool
    /// Nil when the type's coding is its own affair.
    public var shape: PayloadShape?

    public init(label: String, type: String, optional: Bool = false, shape: PayloadShape?) {
        self.label = label
        self.type = type
        self.optional = optional
        self.shape = shape
    }

    static func canonicalText(_ fields: [FieldContract]) -> String {
        fields.map { "\($0.label):\($0.shape?.canonicalText ?? "'\($0.type)'")\($0.optional ? "?" : "")" }
            .sorted().joined(separator: ",")
    }
}
