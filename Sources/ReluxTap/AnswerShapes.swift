import ReluxPlugin
import ReluxWire

/// The order of fields in values whose type nobody names: that of the structure, or the enumeration's case, which has such fields somewhere in a contract.
struct AnswerShapes: Sendable {
    /// Labels in the order of their declaration, the shorter lists first.
    private let lists: [[String]]

    init(_ topics: [TopicContract]) {
        var lists: Set<[String]> = []
        for topic in topics { Self.collect(topic.cases, &lists) }
        self.lists = lists.sorted { ($0.count, $0.joined(separator: ",")) < ($1.count, $1.joined(separator: ",")) }
    }

    private static func collect(_ cases: [CaseContract], _ lists: inout Set<[String]>) { for one in cases { collect(one.fields, &lists) } }

    private static func collect(_ fields: [FieldContract], _ lists: inout Set<[String]>) {
        if fields.count > 1 { lists.insert(fields.map(\.label)) }
        for field in fields { if let shape = field.shape { collect(shape, &lists) } }
    }

    private static func collect(_ shape: PayloadShape, _ lists: inout Set<[String]>) {
        collect(shape.fields, &lists)
        collect(shape.cases, &lists)
        for inner in shape.of { collect(inner, &lists) }
    }

    /// The same value, its maps in that order; what no contract knows stands in the order of its names.
    func ordered(_ value: CBORValue) -> CBORValue {
        switch value {
        case .array(let elements): return .array(elements.map(ordered))
        case .map(let pairs):
            let keys: [String] = pairs.compactMap { if case .text(let key) = $0.key { key } else { nil } }
            guard keys.count == pairs.count else { return .map(pairs.map { .init($0.key, ordered($0.value)) }) }
            let wanted = Set(keys)
            // An optional that is absent is left out: the shortest list that has them all.
            let labels = lists.first { wanted.isSubset(of: $0) } ?? keys.sorted()
            let found = Dictionary(zip(keys, pairs), uniquingKeysWith: { first, _ in first })
            return .map(labels.compactMap { label in found[label].map { .init($0.key, ordered($0.value)) } })
        default: return value
        }
    }
}
