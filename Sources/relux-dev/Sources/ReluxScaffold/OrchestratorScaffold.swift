/// An orchestrator over the interfaces of some domains: seed 0's layout, no state, no result, a handler's file for each domain.
package enum OrchestratorScaffold {
    /// - Parameter domains: what it listens to, with where each package lies from the new one.
    package static func make(
        _ name: ModuleName, domains: [(name: String, path: String)], _ surroundings: Surroundings
    ) throws(ScaffoldError) -> Scaffold {
        let names = domains.map(\.name)
        guard !names.isEmpty, Set(names).count == names.count else {
            throw ScaffoldError(
                "new.domains",
                names.isEmpty
                    ? "an orchestrator without domains has nothing to do" : "a domain is named twice: \(names.joined(separator: ", "))",
                hint: "name each domain once: --domains Auth,Notes")
        }
        let imports = names.map { "internal import \($0)ReluxInt" }.joined(separator: "\n")
        let words = [
            "__O__": name.text, "__CORE__": surroundings.core, "__IMPORTS__": imports,
            "__TEST_IMPORTS__": names.map { "import \($0)ReluxInt" }.joined(separator: "\n"),
            "__PACKAGES__": domains.map { "        .package(path: \"\($0.path)\")," }.joined(separator: "\n"),
            // In the order that `relux generate` has them in.
            "__PRODUCTS__": domains.sorted { Checkout.identity($0.path) < Checkout.identity($1.path) }.map {
                "                .product(name: \"\($0.name)ReluxInt\", package: \"\(Checkout.identity($0.path))\"),"
            }.joined(separator: "\n"),
            "__TYPES__": types(names),
            "__CALLS__": names.map { "            await handle\($0)Effect(effect)" }.joined(separator: "\n"),
            "__DOMAINS__": names.count > 1 ? "\(names.dropLast().joined(separator: ", ")) and \(names[names.count - 1])" : names[0],
        ]
        var files: [String: String] = [:]
        for (path, text) in OrchestratorTemplate.files { files[path.replacing("__O__", with: name.text)] = filled(text, words) }
        for domain in names {
            files["Sources/\(name.text)Impl/\(name.text)+Saga+\(domain).swift"] = filled(
                OrchestratorTemplate.handler, words.merging(["__D__": domain]) { $1 })
        }
        return Scaffold(files: files, checklist: checklist(name.text, names, surroundings))
    }

    /// The types that a module handles, on one line, or one on each where that would be too long.
    private static func types(_ names: [String]) -> String {
        let (types, margin) = (names.map { "\($0).Business.Effect.self" }, String(repeating: " ", count: 12))
        let line = "\(margin)[\(types.joined(separator: ", "))]"
        return line.count <= 140 ? line : "\(margin)[\n" + types.map { "\(margin)    \($0),\n" }.joined() + "\(margin)]"
    }

    /// Seed 0, "Checklist: New Orchestrator".
    private static func checklist(_ name: String, _ domains: [String], _ surroundings: Surroundings) -> [Scaffold.Step] {
        let done = [
            "domains that need coordination: \(domains.joined(separator: ", "))", "\(name)/Package.swift",
            "only *ReluxInt products are linked",
            "Saga with a handler's file for each domain", "Module without states", "tests of what it declares",
        ]
        var left = [
            "answer effects: a case for each in \(name)+Saga+<Domain>.swift, with actions { … } for the others",
            "take out of the module's `emits` the effects that it never sends",
            "a test for each answer, and one for what it leaves alone",
        ]
        if surroundings.isInside {
            left.append(
                "register it: `Plugin(name: \"\(name)\", kind: .orchestrator)` in the list `plugins` at the top of Package.swift, and `- module: \(name)` in deploy/cluster.yaml"
            )
        } else {
            let modules = (domains + [name]).joined(separator: ",")
            left.append("run it: relux new cluster NAME --modules \(modules), or relux dev \(name) where a cluster is up")
        }
        return done.map { .init(text: $0, isDone: true) } + left.map { .init(text: $0, isDone: false) }
    }
}
