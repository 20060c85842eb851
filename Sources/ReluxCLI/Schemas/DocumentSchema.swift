import ReluxWire

/// The shape of a JSON document that a command prints. A change that takes something away or changes its meaning gets another number behind the name.
struct DocumentSchema: Sendable {
    /// As the document's `schema` says: `relux.status/1`.
    let name: String
    /// The commands that print it.
    let printedBy: [String]
    /// The members besides `schema`; nil where the document does not say its own.
    let members: [Property]

    struct Property: Sendable {
        let key: String
        let shape: Shape
        var isOptional = false

        /// It may be left out.
        var optional: Property { Property(key: key, shape: shape, isOptional: true) }
        /// It may be `null`.
        var nullable: Property { Property(key: key, shape: .nullable(shape), isOptional: isOptional) }
    }

    indirect enum Shape: Sendable {
        case text, integer, boolean, any
        case constant(String)
        case list(Shape)
        case nullable(Shape)
        case object([Property])
        /// One of these.
        case either([Shape])
    }

    private var shape: Shape { .object([Property(key: "schema", shape: .constant(name))] + members) }

    /// As JSON Schema, draft 2020-12.
    var json: JSONValue {
        guard case .object(let members) = shape.json else { return shape.json }
        return .object(
            [
                .init("$schema", "https://json-schema.org/draft/2020-12/schema"), .init("$id", .string(name)),
                .init("description", .string("printed by \(printedBy.joined(separator: ", "))")),
            ] + members)
    }

    /// Where the document is not as the schema says, a line each; a member that the schema does not have is a fault too.
    func faults(of document: JSONValue) -> [String] { shape.faults(of: document, at: "") }
}

extension DocumentSchema.Shape {
    fileprivate var json: JSONValue {
        switch self {
        case .text: ["type": "string"]
        case .integer: ["type": "integer"]
        case .boolean: ["type": "boolean"]
        case .any: .object([])
        case .constant(let value): .object([.init("const", .string(value))])
        case .list(let shape): .object([.init("type", "array"), .init("items", shape.json)])
        case .nullable(let shape): .object([.init("anyOf", .array([shape.json, ["type": "null"]]))])
        case .either(let shapes): .object([.init("anyOf", .array(shapes.map(\.json)))])
        case .object(let properties):
            .object([
                .init("type", "object"), .init("properties", .object(properties.map { .init($0.key, $0.shape.json) })),
                .init("required", .array(properties.filter { !$0.isOptional }.map { .string($0.key) })),
            ])
        }
    }

    fileprivate func faults(of value: JSONValue, at path: String) -> [String] {
        let place = path.isEmpty ? "the document" : path
        switch (self, value) {
        case (.text, .string), (.integer, .integer), (.boolean, .bool), (.any, _), (.nullable, .null): return []
        case (.nullable(let shape), _): return shape.faults(of: value, at: path)
        case (.constant(let text), .string(let found)) where text == found: return []
        case (.list(let shape), .array(let values)):
            return values.enumerated().flatMap { shape.faults(of: $0.element, at: "\(path)[\($0.offset)]") }
        case (.either(let shapes), _):
            let faults = shapes.map { $0.faults(of: value, at: path) }
            return faults.min { $0.count < $1.count } ?? []
        case (.object(let properties), .object(let members)):
            let known = Dictionary(properties.map { ($0.key, $0) }, uniquingKeysWith: { first, _ in first })
            let found = Set(members.map(\.key))
            let missing = properties.filter { !$0.isOptional && !found.contains($0.key) }.map { "\(place) has no '\($0.key)'" }
            return missing
                + members.flatMap { member in
                    known[member.key].map { $0.shape.faults(of: member.value, at: "\(path).\(member.key)") } ?? ["\(place) has '\(member.key)', which no schema names"]
                }
        default: return ["\(place) is \(value.text().prefix(60)), and should be \(json.text())"]
        }
    }
}

/// Short words for the catalogue.
extension DocumentSchema.Property {
    static func text(_ key: String) -> Self { Self(key: key, shape: .text) }
    static func integer(_ key: String) -> Self { Self(key: key, shape: .integer) }
    static func boolean(_ key: String) -> Self { Self(key: key, shape: .boolean) }
    static func any(_ key: String) -> Self { Self(key: key, shape: .any) }
    static func texts(_ key: String) -> Self { Self(key: key, shape: .list(.text)) }
    static func object(_ key: String, _ members: [Self]) -> Self { Self(key: key, shape: .object(members)) }
    static func objects(_ key: String, _ members: [Self]) -> Self { Self(key: key, shape: .list(.object(members))) }

    static func texts(_ keys: String...) -> [Self] { keys.map { .text($0) } }
    static func integers(_ keys: String...) -> [Self] { keys.map { .integer($0) } }

    /// An effect's id as it travels, and its parts.
    static func effect(_ key: String = "id") -> [Self] {
        [.text(key), .integer(key == "id" ? "life" : key + "Life"), .integer(key == "id" ? "position" : key + "Position")]
    }

    /// A position or a sequence as it travels, and its parts.
    static func number(_ key: String) -> [Self] { [.integer(key), .integer(key + "Life"), .integer(key + "InLife")] }

    static let range = number("first") + number("last")
}
