package import ReluxPlugin

/// What changes for others when a module's contract becomes another one.
///
/// Compatible: a topic, a case, an optional field, one more raw value is added. Breaking is what somebody who was built against the
/// old contract would miss, or would send without what is now needed: something removed, a type changed, a field that became
/// required. Snapshots go one way, from their owner: there a field may become required and be added as required, but not become
/// optional.
package struct ContractComparison: Sendable, Hashable {
    package struct Change: Sendable, Hashable, CustomStringConvertible {
        /// For example `Auth.Business.Effect.login`, with the field behind it.
        package var place: String
        package var what: String
        package var isBreaking: Bool
        package var description: String { "\(place) \(what)" }
    }

    /// In the order of the contracts' topics.
    package private(set) var changes: [Change] = []

    package var breaking: [Change] { changes.filter(\.isBreaking) }

    package init(from old: Contract, to new: Contract) {
        for topic in old.topics {
            guard let other = new.topics.first(where: { $0.topic == topic.topic }) else {
                note("\(topic.topic)", "is removed", isBreaking: true)
                continue
            }
            guard other.fingerprint != topic.fingerprint else { continue }
            compare(topic.cases, other.cases, "\(topic.topic)", Walk(isSnapshot: false))
        }
        for topic in new.topics where !old.topics.contains(where: { $0.topic == topic.topic }) {
            note("\(topic.topic)", "is added", isBreaking: false)
        }
        for snapshot in old.snapshots {
            guard let other = new.snapshots.first(where: { $0.topic == snapshot.topic }) else {
                note("\(snapshot.topic)", "is removed", isBreaking: true)
                continue
            }
            guard other.fingerprint != snapshot.fingerprint else { continue }
            compare(snapshot.shape, other.shape, "\(snapshot.topic)", Walk(isSnapshot: true))
        }
        for snapshot in new.snapshots where !old.snapshots.contains(where: { $0.topic == snapshot.topic }) {
            note("\(snapshot.topic)", "is added", isBreaking: false)
        }
    }

    /// Where in a contract the comparison is.
    private struct Walk {
        var isSnapshot: Bool
        /// Types further out, by their old names: a type that contains itself is the same if the outer ones are.
        var outer: [String: String] = [:]
    }

    private mutating func note(_ place: String, _ what: String, isBreaking: Bool) {
        changes.append(Change(place: place, what: what, isBreaking: isBreaking))
    }

    private mutating func compare(_ old: [CaseContract], _ new: [CaseContract], _ place: String, _ walk: Walk) {
        for one in old {
            let name = one.name.isEmpty ? place : "\(place).\(one.name)"
            guard let other = new.first(where: { $0.name == one.name }) else {
                note(name, "is removed", isBreaking: true)
                continue
            }
            compare(one.fields, other.fields, name, walk)
        }
        for one in new where !old.contains(where: { $0.name == one.name }) {
            note("\(place).\(one.name)", "is added", isBreaking: false)
        }
    }

    private mutating func compare(_ old: [FieldContract], _ new: [FieldContract], _ place: String, _ walk: Walk) {
        for field in old {
            let name = "\(place)(\(field.label))"
            guard let other = new.first(where: { $0.label == field.label }) else {
                note(name, "is removed", isBreaking: true)
                continue
            }
            if field.optional && !other.optional { note(name, "became required", isBreaking: !walk.isSnapshot) }
            if !field.optional && other.optional { note(name, "became optional", isBreaking: true) }
            switch (field.shape, other.shape) {
            case (let before?, let after?): compare(before, after, name, walk)
            default:
                // What has a coding of its own is known by its name only.
                guard field.type != other.type else { continue }
                note(name, "changed its type from \(field.type) to \(other.type)", isBreaking: true)
            }
        }
        for field in new where !old.contains(where: { $0.label == field.label }) {
            let isNeeded = !field.optional && !walk.isSnapshot
            note("\(place)(\(field.label))", field.optional ? "is added" : "is added and required", isBreaking: isNeeded)
        }
    }

    private mutating func compare(_ old: PayloadShape, _ new: PayloadShape, _ place: String, _ walk: Walk) {
        guard old.kind == new.kind, old.of.count == new.of.count else {
            return note(place, "changed its type from \(name(old)) to \(name(new))", isBreaking: true)
        }
        var walk = walk
        if old.kind != .reference, let before = old.type, let after = new.type { walk.outer[before] = after }
        switch old.kind {
        case .text, .int, .bool, .double, .bytes: compareValues(old, new, place)
        case .sealed, .array, .map, .optional:
            for (before, after) in zip(old.of, new.of) { compare(before, after, place, walk) }
        case .structure: compare(old.fields, new.fields, place, walk)
        case .enumeration: compare(old.cases, new.cases, place, walk)
        case .reference:
            guard let before = old.type, let after = new.type, walk.outer[before] != after else { return }
            note(place, "changed its type from \(before) to \(after)", isBreaking: true)
        }
    }

    private mutating func compareValues(_ old: PayloadShape, _ new: PayloadShape, _ place: String) {
        guard old.values != new.values else { return }
        if old.values.isEmpty { return note(place, "takes only \(new.values.joined(separator: ", ")) now", isBreaking: true) }
        if new.values.isEmpty { return note(place, "takes any value now", isBreaking: false) }
        for value in old.values where !new.values.contains(value) { note(place, "takes \(value) no more", isBreaking: true) }
        for value in new.values where !old.values.contains(value) { note(place, "takes \(value) too", isBreaking: false) }
    }

    private func name(_ shape: PayloadShape) -> String { shape.type ?? shape.kind.rawValue }
}
