import ReluxPlugin

/// The parts that are gone, each with the only new part like it: probably the same under another name.
struct Renaming {
    /// New names by old ones.
    private let found: [String: String]

    /// - Parameter isSame: whether two are the same but for their names.
    init<Part>(_ old: [Part], _ new: [Part], name: (Part) -> String, isSame: (Part, Part) -> Bool) {
        let gone = old.filter { one in !new.contains { name($0) == name(one) } }
        let added = new.filter { one in !old.contains { name($0) == name(one) } }
        var found: [String: String] = [:]
        for one in gone {
            let candidates = added.filter { isSame(one, $0) }
            // Nobody knows which of several it was.
            guard candidates.count == 1, gone.filter({ isSame($0, candidates[0]) }).count == 1 else { continue }
            found[name(one)] = name(candidates[0])
        }
        self.found = found
    }

    /// The new names, so that they are not told as added.
    var names: Set<String> { Set(found.values) }

    func isRenamed(_ name: String) -> Bool { found[name] != nil }

    func text(_ name: String) -> String { found[name].map { "is renamed to \($0)" } ?? "is removed" }
}

extension CaseContract {
    func hasFields(of other: CaseContract) -> Bool {
        fields.allSatisfy { field in other.fields.contains { $0 == field } }
    }
}
