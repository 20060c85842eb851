import Relux
package import ReluxPlugin

/// The changes for others when a module's contract becomes another one.
///
/// A new version is enough where something is added that nobody has to know: a topic, a case, an optional field, one more raw value. Breaking
/// is what somebody who was built against the old contract would miss, could not read, or would send without what is now needed:
/// something removed or renamed, a type changed, a field that became required. Effects go both ways, for a module hears and sends those of
/// its interface. Snapshots go one way, from their owner: there a field may become required and be added as required, but not become
/// optional, and no case or value may be added within one, since whoever reads it does not know that. The order of cases, of raw values and
/// of fields with labels is nothing that travels; a value without a label travels by its place.
package struct ContractComparison: Sendable, Hashable {
    package struct Change: Sendable, Hashable, CustomStringConvertible {
        /// For example `Auth.Business.Effect.login`, with the field behind it.
        package var place: String
        package var what: String
        package var isBreaking: Bool
        package var description: String { "\(place) \(what)" }
    }

    /// The permitted use of the new contract.
    package enum Verdict: String, Sendable, Hashable, CaseIterable {
        /// Both carry the same bytes: either may stand in for the other.
        case compatible
        /// A module that was built against the old contract goes on with the new one, not the other way round.
        case newVersion = "new-version"
        /// A module that was built against the old contract does not get on with the new one.
        case breaking
    }

    /// In the order of the contracts' topics.
    package private(set) var changes: [Change] = []

    /// Topics whose effects survive more or less than before; no byte of them is another one. In the order of the topics.
    package private(set) var durabilities: [Change] = []

    package var breaking: [Change] { changes.filter(\.isBreaking) }

    package var verdict: Verdict {
        if changes.isEmpty && durabilities.isEmpty { return .compatible }
        return breaking.isEmpty ? .newVersion : .breaking
    }

    package init(from old: Contract, to new: Contract) {
        for topic in old.topics {
            guard let other = new.topics.first(where: { $0.topic == topic.topic }) else {
                note("\(topic.topic)", "is removed", isBreaking: true)
                continue
            }
            if other.durability != topic.durability {
                let what = "survives \(other.durability.rawValue), not \(topic.durability.rawValue)"
                durabilities.append(Change(place: "\(topic.topic)", what: what, isBreaking: false))
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
        let renamed = Renaming(old, new, name: \.name) { $0.fields.count == $1.fields.count && $0.hasFields(of: $1) }
        for one in old {
            let name = one.name.isEmpty ? place : "\(place).\(one.name)"
            guard let other = new.first(where: { $0.name == one.name }) else {
                // A case that the owner writes no more is missed by nobody; under another name nobody knows it.
                note(name, renamed.text(one.name), isBreaking: !walk.isSnapshot || renamed.isRenamed(one.name))
                continue
            }
            compare(one.fields, other.fields, name, walk)
        }
        for one in new where !old.contains(where: { $0.name == one.name }) && !renamed.names.contains(one.name) {
            note("\(place).\(one.name)", "is added", isBreaking: walk.isSnapshot)
        }
    }

    private mutating func compare(_ old: [FieldContract], _ new: [FieldContract], _ place: String, _ walk: Walk) {
        let renamed = Renaming(old, new, name: \.label) { $0.type == $1.type && $0.optional == $1.optional && $0.shape == $1.shape }
        for field in old {
            let name = "\(place)(\(field.label))"
            guard let other = new.first(where: { $0.label == field.label }) else {
                note(name, renamed.text(field.label), isBreaking: true)
                continue
            }
            if field.optional && !other.optional { note(name, "became required", isBreaking: !walk.isSnapshot) }
            if !field.optional && other.optional { note(name, "became optional", isBreaking: true) }
            switch (field.shape, other.shape) {
            case (let before?, let after?): compare(before, after, name, walk)
            default:
                // A type with a coding of its own is known by its name only.
                guard field.type != other.type else { continue }
                note(name, "changed its type from \(field.type) to \(other.type)", isBreaking: true)
            }
        }
        for field in new where !old.contains(where: { $0.label == field.label }) && !renamed.names.contains(field.label) {
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
        case .text, .int, .bool, .double, .bytes: compareValues(old, new, place, walk)
        case .sealed, .array, .map, .optional:
            for (before, after) in zip(old.of, new.of) { compare(before, after, place, walk) }
        case .structure: compare(old.fields, new.fields, place, walk)
        case .enumeration: compare(old.cases, new.cases, place, walk)
        case .reference:
            guard let before = old.type, let after = new.type, walk.outer[before] != after else { return }
            note(place, "changed its type from \(before) to \(after)", isBreaking: true)
        }
    }

    private mutating func compareValues(_ old: PayloadShape, _ new: PayloadShape, _ place: String, _ walk: Walk) {
        guard old.values != new.values else { return }
        if old.values.isEmpty { return note(place, "takes only \(new.values.joined(separator: ", ")) now", isBreaking: !walk.isSnapshot) }
        if new.values.isEmpty { return note(place, "takes any value now", isBreaking: walk.isSnapshot) }
        for value in old.values where !new.values.contains(value) { note(place, "takes \(value) no more", isBreaking: !walk.isSnapshot) }
        for value in new.values where !old.values.contains(value) { note(place, "takes \(value) too", isBreaking: walk.isSnapshot) }
    }

    private func name(_ shape: PayloadShape) -> String { shape.type ?? shape.kind.rawValue }
}
