import Foundation

/// A feature of a domain: seed 4's shape, a state, actions with a delegate, work that is run, and tests that assert every change.
package enum FeatureScaffold {
    /// - Parameters:
    ///   - name: of the feature, without `Feature` behind.
    ///   - manifest: the text of the domain's `Package.swift`; its tests get the store that asserts.
    /// - Throws: `new.feature` when the manifest's tests do not link ReluxTestKit once, as those of `relux new domain` do.
    package static func make(
        _ name: ModuleName, of domain: ModuleName, manifest: String, _ surroundings: Surroundings
    ) throws(ScaffoldError) -> (scaffold: Scaffold, manifest: String) {
        let words = ["__F__": name.text, "__f__": name.lowercase, "__D__": domain.text]
        var files: [String: String] = [:]
        for (path, text) in FeatureTemplate.files {
            files[path.replacing("__F__", with: name.text).replacing("__D__", with: domain.text)] = filled(text, words)
        }
        return (
            Scaffold(files: files, checklist: checklist(name.text, domain.text, surroundings)), try linked(manifest, domain.text)
        )
    }

    /// The manifest with the store that asserts among what the tests link.
    private static func linked(_ manifest: String, _ domain: String) throws(ScaffoldError) -> String {
        let (kit, store) = (".product(name: \"ReluxTestKit\", package: \"relux-cluster\"),", "ReluxFeatureTestKit")
        if manifest.contains("\"\(store)\"") { return manifest }
        var lines = manifest.components(separatedBy: "\n")
        // A mock in the domain's test support may link it too.
        let tests = lines.indices.filter { lines[$0].contains(".testTarget(") }
        let places = lines.indices.filter { lines[$0].contains(kit) && $0 > tests.first ?? 0 }
        guard places.count == 1 else {
            throw ScaffoldError(
                "new.feature", "the tests in the manifest of \(domain) link ReluxTestKit \(places.count) times, so it is not clear where to add \(store)",
                hint: "add .product(name: \"\(store)\", package: \"relux-cluster\") to what \(domain)Tests link, and say this again")
        }
        // Where `relux generate` has it.
        let traits = lines.indices.contains(places[0] + 1) && lines[places[0] + 1].contains("\"ReluxTestTraits\"") ? 1 : 0
        lines.insert(lines[places[0]].replacing("ReluxTestKit", with: store), at: places[0] + traits + 1)
        return lines.joined(separator: "\n")
    }

    /// Seed 4, the rule and its anti-patterns, as things are called here.
    private static func checklist(_ name: String, _ domain: String, _ surroundings: Surroundings) -> [Scaffold.Step] {
        let done = [
            "\(name)Feature: state, actions, a Delegate enum inside them, `.delegate` answered with none",
            "\(name)FeatureTests: every action and every change asserted",
        ]
        var left = [
            "replace `text` and `save` by what \(name) is about; give it the service: let svc: any \(domain).Business.IService",
            "a parent: a property of its state, a case of its actions, Scope (ifLet, forEach) in its body, and an answer to each delegate",
            "or, without a parent, make it the module's state by FeatureState, as Plugins/Library does in Library+Business+State.swift",
        ]
        if surroundings.isInside {
            left.append("if \(domain)Tests are built by the root's Package.swift (tests(of:)), add \"ReluxFeatureTestKit\" there: with: […]")
        }
        return done.map { .init(text: $0, isDone: true) } + left.map { .init(text: $0, isDone: false) }
    }
}
