package import ReluxPlugin
package import ReluxWire

/// The declared order of the fields of known effects; on the wire they stand in the order of their coded keys.
package struct FieldOrder: Sendable {
    private let topics: [Topic: [CaseContract]]
    /// The types that answers may hold: no contract names them, but most are those of some effect's fields.
    private let answers: AnswerShapes

    package init(_ topics: [TopicContract] = []) {
        answers = AnswerShapes(topics)
        self.topics = Dictionary(topics.map { ($0.topic, $0.cases) }, uniquingKeysWith: { first, _ in first })
    }

    /// The payload with its fields as they are declared; what no contract knows stays where it was. Nil for what cannot be
    /// decoded.
    package func value(of payload: ArraySlice<UInt8>, on topic: Topic) -> CBORValue? {
        guard let value = try? CBORValue(decoding: payload) else { return nil }
        guard let cases = topics[topic] else { return value }
        if cases.count == 1, cases[0].name.isEmpty, case .map(let pairs) = value {
            return fields(pairs, cases[0].fields, [:])
        }
        return enumeration(value, cases, [:])
    }

    /// An answer with its fields as a type that an effect carries declares them; those of other types by name. Nil for what cannot be decoded.
    package func value(ofAnswer payload: ArraySlice<UInt8>) -> CBORValue? {
        (try? CBORValue(decoding: payload)).map(answers.ordered)
    }

    private func enumeration(
        _ value: CBORValue, _ cases: [CaseContract], _ outer: [String: PayloadShape]
    ) -> CBORValue {
        guard case .map(let pairs) = value, pairs.count == 1, case .map(let inner) = pairs[0].value,
            let found = cases.first(where: { .text($0.name) == pairs[0].key })
        else { return value }
        return .map([.init(pairs[0].key, fields(inner, found.fields, outer))])
    }

    private func fields(
        _ pairs: [CBORValue.Pair], _ contracts: [FieldContract], _ outer: [String: PayloadShape]
    ) -> CBORValue {
        let known = contracts.compactMap { contract in
            pairs.first { $0.key == .text(contract.label) }.map { pair in
                CBORValue.Pair(pair.key, shaped(pair.value, contract.shape, outer))
            }
        }
        return .map(known + pairs.filter { pair in !contracts.contains { .text($0.label) == pair.key } })
    }

    private func shaped(
        _ value: CBORValue, _ shape: PayloadShape?, _ outer: [String: PayloadShape]
    ) -> CBORValue {
        guard let shape else { return value }
        var outer = outer
        if let name = shape.type, shape.kind != .reference { outer[name] = shape }
        switch (shape.kind, value) {
        case (.optional, _): return shaped(value, shape.of.first, outer)
        case (.array, .array(let elements)): return .array(elements.map { shaped($0, shape.of.first, outer) })
        case (.map, .map(let pairs)): return .map(pairs.map { .init($0.key, shaped($0.value, shape.of.last, outer)) })
        case (.structure, .map(let pairs)): return fields(pairs, shape.fields, outer)
        case (.enumeration, _): return enumeration(value, shape.cases, outer)
        // A type that is nested in itself ends where the value does.
        case (.reference, .map): return shaped(value, shape.type.flatMap { outer[$0] }, outer)
        default: return value
        }
    }
}
