/// How a value looks in CBOR and JSON, as far as the interface's source tells.
///
/// A field without a shape has a coding of its own that no reader can know from outside; such a field is passed
/// through unchecked.
public struct PayloadShape: Codable, Sendable, Hashable {
    public enum Kind: String, Codable, Sendable, Hashable {
        case text, int, bool, double, bytes
        /// A `Secret`: sealed before journal and bus; `of` holds the shape inside.
        case sealed
        /// `of` holds the element.
        case array
        /// `of` holds key and value.
        case map
        /// A map with `fields`.
        case structure
        /// A map of one entry: the case name, with a map of its fields.
        case enumeration
        /// A value or null inside an array or map; a field says so by its own flag.
        case optional
        /// A type that contains itself; `type` names the one further out.
        case reference
    }

    public var kind: Kind
    /// The type's path for what has a name of its own, for example `Auth.Business.Model.User`.
    public var type: String?
    public var of: [PayloadShape]
    public var fields: [FieldContract]
    public var cases: [CaseContract]
    /// The only values of a text or a whole number, as an enum's raw values; numbers in decimal, in the order of the source.
    /// Empty: any value.
    public var values: [String]

    public init(
        _ kind: Kind, type: String? = nil, of: [PayloadShape] = [], fields: [FieldContract] = [],
        cases: [CaseContract] = [], values: [String] = []
    ) {
        self.kind = kind
        self.type = type
        self.of = of
        self.fields = fields
        self.cases = cases
        self.values = values
    }

    private enum CodingKeys: String, CodingKey { case kind, type, of, fields, cases, values }

    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        kind = try container.decode(Kind.self, forKey: .kind)
        type = try container.decodeIfPresent(String.self, forKey: .type)
        of = try container.decodeIfPresent([PayloadShape].self, forKey: .of) ?? []
        fields = try container.decodeIfPresent([FieldContract].self, forKey: .fields) ?? []
        cases = try container.decodeIfPresent([CaseContract].self, forKey: .cases) ?? []
        values = try container.decodeIfPresent([String].self, forKey: .values) ?? []
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(kind, forKey: .kind)
        try container.encodeIfPresent(type, forKey: .type)
        if !of.isEmpty { try container.encode(of, forKey: .of) }
        if !fields.isEmpty { try container.encode(fields, forKey: .fields) }
        if !cases.isEmpty { try container.encode(cases, forKey: .cases) }
        if !values.isEmpty { try container.encode(values, forKey: .values) }
    }
}

extension PayloadShape {
    /// The part of the shape that reaches the wire: names of types do not, names of fields and cases do, their order does not.
    var canonicalText: String {
        switch kind {
        case .text, .int, .bool, .double, .bytes: kind.rawValue + valuesText
        case .sealed, .array, .map, .optional: "\(kind.rawValue)<\(of.map(\.canonicalText).joined(separator: ","))>"
        case .structure: "{\(FieldContract.canonicalText(fields))}"
        case .enumeration: "<\(CaseContract.canonicalText(cases))>"
        case .reference: "^\(type ?? "")"
        }
    }

    /// With their lengths, as a value may hold anything.
    private var valuesText: String {
        values.isEmpty ? "" : "=" + values.sorted().map { "\($0.utf8.count):\($0)" }.joined(separator: "|")
    }
}
