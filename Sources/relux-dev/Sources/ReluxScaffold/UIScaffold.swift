package import ReluxLint

/// A domain's user interface in a terminal, in the layout of seed 3: a protocol that gives views, the views, a process that shows them.
///
/// Pages, requests and snapshot are read from the domain's interface, so that what is written compiles with it.
package enum UIScaffold {
    /// - Parameters:
    ///   - domain: whose views these are; the package is called like it with `UI` behind.
    ///   - path: where the domain's package lies from the new one.
    /// - Throws: `new.ui` for an interface without pages or without a snapshot, with the remedy.
    package static func make(
        _ domain: ModuleName, _ outline: InterfaceOutline, path: String, _ surroundings: Surroundings
    ) throws(ScaffoldError) -> Scaffold {
        let name = domain.text
        guard let first = outline.pages.first(where: \.values.isEmpty) else {
            throw ScaffoldError(
                "new.ui", "\(name).UI.Model.Page has no case without values, so nobody knows what to show first",
                hint: "add one to \(name)ReluxInt, such as `case list`")
        }
        guard let snapshot = outline.snapshot else {
            throw ScaffoldError(
                "new.ui", "\(name)ReluxInt has no \(name).Business.Snapshot, so there is nothing to show",
                hint: "add one: public struct Snapshot: Relux.SharedSnapshot { … }")
        }
        let text = UIText(name: name, outline: outline, snapshot: snapshot, first: first.name)
        let words = [
            "__D__": name, "__d__": domain.lowercase, "__CORE__": surroundings.core, "__PATH__": path, "__PACKAGE__": Checkout.identity(path), "__FIRST__": first.name,
            "__PAGES__": text.pages, "__VIEWS__": text.views, "__VERBS__": text.verbs, "__HELP__": text.help, "__LINES__": text.lines,
            "__CHECK__": surroundings.isInside ? "; a check of deploy/test looks at what the\n// built libraries need." : ".",
        ]
        var files: [String: String] = [:]
        let tests = text.snapshotValue.map { UITemplate.tests + [UITemplate.snapshotTests(value: $0)] } ?? UITemplate.tests
        for (path, template) in UITemplate.sources + tests {
            let isTest = path.hasPrefix("Tests/")
            let all = isTest ? words.merging(text.tests(standsIn: text.snapshotValue != nil)) { $1 } : words
            files[path.replacing("__D__", with: name)] = filled(template, all)
        }
        return Scaffold(files: files, checklist: checklist(domain, surroundings))
    }

    private static func checklist(_ domain: ModuleName, _ surroundings: Surroundings) -> [Scaffold.Step] {
        let name = domain.text
        let done = [
            "\(name)UI/Package.swift; only \(name)ReluxInt and Relux are linked", "\(name)UIAPI: the protocol that gives views for pages",
            "\(name)UI: views from the snapshot, what is typed as effects, a module that handles and keeps nothing",
            "\(domain.lowercase)-ui: the process", "\(name)UITests against a stand-in of \(name)",
        ]
        var left = [
            "show what a person wants to read: `contents` and the pages of \(name)UIRouter",
            "take out of \(name)UIRouter+Enter what is no request of a person, and add what takes more than one value",
        ]
        if surroundings.isInside {
            left.append("register it: \"\(name)UI\" in the package's dependencies and its product in `interfaces`, in Package.swift")
        }
        left.append("start it beside a cluster that is up: \(domain.lowercase)-ui --run DIRECTORY --host \(name)UI")
        return done.map { .init(text: $0, isDone: true) } + left.map { .init(text: $0, isDone: false) }
    }
}
