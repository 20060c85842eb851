/// Which types get coders, and what their fields are.
struct WirePlan {
    struct Field: Hashable {
        /// The key on the wire.
        let key: String
        /// How generated code calls it.
        let variable: String
        /// As an argument wants it; nil where there is none.
        let label: String?
        let type: WireType

        /// An absent one is left out.
        var isOptional: Bool { if case .optional = type { true } else { false } }
        /// Whether an absent one is left out, the compiler decides.
        var isForeign: Bool { if case .foreign = type { true } else { false } }
    }

    struct Case { let name: String, fields: [Field] }

    enum Shape {
        /// Nil for the initialiser: its properties are assigned.
        case structure([Field], initialiser: [Field]?)
        case enumeration([Case])
    }

    struct Coder {
        let type: DeclaredType
        let shape: Shape
        let isEncoded: Bool
        let isDecoded: Bool
    }

    /// How many containers generated code puts into each other; deeper down `Codable` goes on. `CBORLimits.generatedDepth` leaves room.
    static let depthLimit = 24

    let table: TypeTable
    let reader: TypeReader
    let module: String

    /// By type; none of what contains itself.
    private var depths: [String: Int] = [:]
    /// In the order of the sources, payloads first.
    private(set) var coders: [Coder] = []
    /// A sentence for each payload that gets none.
    private(set) var notes: [String] = []

    /// - Parameter module: where the code will be; payloads are its own.
    init(_ table: TypeTable, module: String) {
        (self.table, self.module) = (table, module)
        reader = TypeReader(table: table)
        measure()
        var wanted: Set<String> = []
        var queue: [String] = []
        for name in table.names {
            guard let type = table.types[name], type.module == module, type.isRoot else { continue }
            if let reason = refusal(of: type) { notes.append("\(name) stays with Codable: \(reason)") } else { queue.append(name) }
        }
        let roots = queue
        while let name = queue.popLast() {
            guard wanted.insert(name).inserted else { continue }
            guard let type = table.types[name] else { continue }
            queue += Self.models(in: fields(of: type).map(\.type))
        }
        let ordered = roots + table.names.filter { wanted.contains($0) && !roots.contains($0) }
        coders = ordered.compactMap { table.types[$0] }.map { type in
            Coder(type: type, shape: shape(of: type), isEncoded: canEncode(type), isDecoded: canDecode(type))
        }
    }

    /// Why a payload gets no coders.
    private func refusal(of type: DeclaredType) -> String? {
        if let reason = type.obscurity { return reason }
        switch type.kind {
        case .structure where !canEncode(type) || !canDecode(type): return "properties of it are private"
        case .structure: return nil
        case .enumeration where type.cases.isEmpty: return "it has no cases"
        case .enumeration: return type.inherits.first.flatMap(WireType.leaf) == nil ? nil : "it has raw values"
        case .alias, .other: return "it is neither a struct nor an enum"
        }
    }

    // MARK: Fields

    private func shape(of type: DeclaredType) -> Shape {
        if case .enumeration = type.kind {
            return .enumeration(type.cases.map { Case(name: $0.name, fields: self.fields(of: $0, in: type)) })
        }
        let fields = self.fields(of: type)
        return .structure(fields, initialiser: self.initialiser(of: type, fields))
    }

    func fields(of type: DeclaredType) -> [Field] {
        if case .enumeration = type.kind { return type.cases.flatMap { fields(of: $0, in: type) } }
        return type.properties.map { property in
            Field(
                key: property.name, variable: Self.variable(property.name), label: property.name,
                type: field(reader.type(property.type, in: type.path), of: type))
        }
    }

    private func fields(of one: DeclaredType.Case, in type: DeclaredType) -> [Field] {
        one.values.enumerated().map { index, value in
            Field(
                key: value.label ?? "_\(index)", variable: value.label.map(Self.variable) ?? "value\(index)", label: value.label,
                type: field(reader.type(value.type, in: type.path), of: type))
        }
    }

    /// The part of a field's type that generated code may touch: nothing that contains itself or what does, and nothing that is too deep.
    private func field(_ type: WireType, of owner: DeclaredType) -> WireType {
        switch type {
        case .optional(let wrapped):
            // Only the first of several question marks is the field's own.
            if case .optional = wrapped { return .optional(.codable(spelled(wrapped))) }
            return .optional(field(wrapped, of: owner))
        default:
            let usable = Self.models(in: [type]).allSatisfy { depths[$0] != nil } && depth(of: type) <= Self.depthLimit
            return usable ? type : .codable(spelled(type))
        }
    }

    /// The containers inside of each other, at most; only asked of types that do not contain themselves.
    private func depth(of type: WireType) -> Int {
        switch type {
        case .list(let inner), .table(let inner): 1 + depth(of: inner)
        case .optional(let inner): depth(of: inner)
        case .model(let name): depths[name] ?? 0
        default: 0
        }
    }

    /// Measures the depth of each type that does not contain itself, once the depths of all that it contains are known.
    private mutating func measure() {
        var open = table.names.compactMap { table.types[$0] }
        while true {
            let left = open.filter { type in
                let inner = plainTypes(of: type)
                guard Self.models(in: inner).allSatisfy({ depths[$0] != nil }) else { return true }
                let own = if case .enumeration = type.kind { 2 } else { 1 }
                depths[type.name] = own + (inner.map { depth(of: $0) }.max() ?? 0)
                return false
            }
            // The types that are left contain themselves, or a type that does.
            if left.count == open.count { return }
            open = left
        }
    }

    private func plainTypes(of type: DeclaredType) -> [WireType] {
        let syntax = type.properties.map(\.type) + type.cases.flatMap { $0.values.map(\.type) }
        return syntax.map { reader.type($0, in: type.path) }
    }

    private static func models(in types: [WireType]) -> [String] {
        types.flatMap { type -> [String] in
            switch type {
            case .model(let name): [name]
            case .list(let inner), .table(let inner), .optional(let inner): models(in: [inner])
            default: []
            }
        }
    }

    func spelled(_ type: WireType) -> String {
        switch type {
        case .text: "String"
        case .bool: "Bool"
        case .double: "Double"
        case .float: "Float"
        case .bytes: "ByteString"
        case .integer(let name), .raw(let name, _), .model(let name), .codable(let name), .foreign(let name): name
        case .list(let inner): "[\(spelled(inner))]"
        case .table(let inner): "[String: \(spelled(inner))]"
        case .optional(let inner): "\(spelled(inner))?"
        }
    }

    // MARK: Names

    /// A name that generated code may give to a value.
    private static func variable(_ label: String) -> String { reserved.contains(label) ? "\(label)Value" : label }

    private static let reserved: Set = [
        "writer", "reader", "fields", "item", "self", "Self", "as", "associatedtype", "await", "break", "case", "catch", "class", "continue",
        "default", "defer", "deinit", "do", "else", "enum", "extension", "fallthrough", "false", "fileprivate", "for", "func", "guard", "if",
        "import", "in", "init", "inout", "internal", "is", "let", "nil", "operator", "precedencegroup", "private", "protocol", "public",
        "repeat", "rethrows", "return", "static", "struct", "subscript", "super", "switch", "throw", "throws", "true", "try", "typealias",
        "var", "where", "while", "Any",
    ]
}
