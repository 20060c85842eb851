import ReluxLint

/// The parts of a user interface that follow from the domain's interface.
struct UIText {
    let name: String
    let outline: InterfaceOutline
    let snapshot: InterfaceOutline.Snapshot
    let first: String

    // MARK: Pages

    var pages: String { outline.pages.map { "        case .\($0.name): \($0.name)Page" }.joined(separator: "\n") }

    var views: String {
        outline.pages.map { page in
            let title = page.name == first ? "heading" : "\"\\(heading): \(page.name)\""
            return """
                    /// The page `\(page.name)`.
                    @MainActor
                    private var \(page.name)Page: \(name).UI.View {
                        \(name).UI.View(title: \(title), lines: contents + notice, help: Self.help)
                    }
                """
        }.joined(separator: "\n\n")
    }

    /// A statement for each field of the snapshot.
    var lines: String {
        // A snapshot without fields is shown as what it is.
        if snapshot.fields.isEmpty { return "        lines.append(\"\\(snapshot)\")" }
        return snapshot.fields.compactMap { field -> String? in
            guard let label = field.label else { return nil }
            if field.type.hasSuffix("?") {
                return "        if let \(label) = snapshot.\(label) { lines.append(\"\(label): \\(\(label))\") }"
            }
            if field.isArray { return "        lines += snapshot.\(label).enumerated().map { \"\\($0 + 1)  \\($1)\" }" }
            return "        lines.append(\"\(label): \\(snapshot.\(label))\")"
        }.joined(separator: "\n")
    }

    // MARK: What is typed

    /// Cases that a person may ask for: without a value or with one text, which is no user's id, for that is the session's. What the domain says
    /// is none of them: it answers it with nothing, or its name is of something that has happened. Nor is what its author keeps for orchestrators.
    private var requests: [InterfaceOutline.Case] {
        outline.effects.filter { effect in
            let isText = effect.values.count == 1 && effect.values[0].type == "String" && effect.values[0].label != "userId"
            let isEvent = outline.events.contains(effect.name) || Self.hasHappened(effect.name)
            return (effect.values.isEmpty || isText) && !isEvent && !effect.isForOrchestrators && !["back", "quit"].contains(effect.name)
        }
    }

    /// Where no implementation can be asked: `authFailed`, `loggedOut`, `loginSuccess`; but not `feedAll`.
    private static func hasHappened(_ name: String) -> Bool {
        if ["Success", "Fail", "Failure"].contains(where: name.hasSuffix) { return true }
        var words: [String] = []
        for character in name {
            if character.isUppercase || words.isEmpty { words.append("") }
            words[words.count - 1] += character.lowercased()
        }
        return words.contains { $0.hasSuffix("ed") && $0.count > 4 }
    }

    var verbs: String {
        (requests.map { request in
            "        case \"\(request.name)\" where \(request.values.isEmpty ? "" : "!")rest.isEmpty: await send(.\(request.written("rest")))"
        } + ["        case \"back\" where rest.isEmpty: return .\(first)"]).joined(separator: "\n")
    }

    var help: String {
        let words = requests.map { request in
            request.values.isEmpty ? request.name : "\(request.name) \((request.values[0].label ?? "text").uppercased())"
        }
        return (words + ["back", "quit"]).joined(separator: " · ")
    }

    // MARK: Tests

    /// Arguments of the snapshot's initialiser that say nothing; nil when somebody has to think of a value.
    var snapshotValue: String? {
        var values: [String] = []
        for parameter in snapshot.parameters where !parameter.hasDefault {
            guard let value = parameter.emptyValue else { return nil }
            values.append((parameter.label.map { "\($0): " } ?? "") + value)
        }
        return "\(name).Business.Snapshot(\(values.joined(separator: ", ")))"
    }

    /// The texts that the tests type, and the effects that they have to hear.
    func tests(standsIn: Bool) -> [String: String] {
        let typed = requests.map { request in request.values.isEmpty ? request.name : "\(request.name) Milk" }
        let heard = requests.map { request in "Effect.\(request.written("\"Milk\""))" }
        return [
            "__TYPED__": typed.map { "\"\($0)\"" }.joined(separator: ", "), "__HEARD__": heard.joined(separator: ", "),
            "__ONE__": typed.first ?? "dance",
            "__MAKE__": standsIn
                ? "let picture = Picture()\n            (states, sagas, relays) = ([picture], [flow], [Relux.UI.StateRelay(picture)])"
                : "(states, sagas, relays) = ([], [flow], [])",
        ]
    }
}

extension InterfaceOutline.Case {
    /// `add(title: rest)` or `load`.
    fileprivate func written(_ value: String) -> String {
        guard let parameter = values.first else { return name }
        return "\(name)(\(parameter.label.map { "\($0): " } ?? "")\(value))"
    }
}

extension InterfaceOutline.Parameter {
    fileprivate var isArray: Bool { type.hasPrefix("[") && !type.contains(":") }

    fileprivate var emptyValue: String? {
        if type.hasSuffix("?") { return "nil" }
        if type.hasPrefix("[") { return isArray ? "[]" : "[:]" }
        return ["String": "\"\"", "Bool": "false", "Int": "0", "Double": "0"][type]
    }
}
