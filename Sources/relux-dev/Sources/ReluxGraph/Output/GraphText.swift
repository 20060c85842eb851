import ReluxLint

/// The picture for people at a terminal.
package enum GraphText {
    /// Modules by phase, each with those that it depends on and what for.
    package static func lines(_ graph: Architecture) -> [String] {
        graph.phases.flatMap { kind, modules in
            [kind.plural] + modules.flatMap { module in ["  " + head(module)] + dependencies(of: module, graph) }
        }
    }

    package static func summary(_ graph: Architecture) -> String {
        let interfaces = graph.modules.count { $0.interface != nil }
        return "\(counted(graph.modules.count, "module")), \(counted(interfaces, "interface")), "
            + (graph.dependencies.count == 1 ? "1 dependency" : "\(graph.dependencies.count) dependencies")
    }

    /// The facts that could not be told; for standard error.
    package static func notes(_ graph: Architecture) -> [String] { graph.notes.map { "note: \(plain($0))" } }

    private static func head(_ module: Architecture.Module) -> String {
        var words = [module.id]
        if !module.version.isEmpty { words.append(module.version) }
        if let state = module.state { words.append(state) }
        if let interface = module.interface { words.append("(\(interface.name))") }
        return plain(words.joined(separator: " "))
    }

    private static func dependencies(of module: Architecture.Module, _ graph: Architecture) -> [String] {
        let found = graph.dependencies(of: module.id)
        let width = found.map(\.to.count).max() ?? 0
        return found.map { dependency in
            let name = dependency.to.padded(to: width)
            let used = [("emits", dependency.emits), ("handles", dependency.handles), ("observes", dependency.observes)]
                .filter { !$0.1.isEmpty }.map { "\($0.0) \($0.1.joined(separator: ", "))" }
            return plain("    -> \(name)  " + (used.isEmpty ? "imports \(dependency.imports.joined(separator: ", "))" : used.joined(separator: "; ")))
        }
    }

    private static func counted(_ count: Int, _ word: String) -> String { "\(count) \(word)\(count == 1 ? "" : "s")" }

    /// Without what would move a terminal's cursor: names may come out of a running cluster.
    private static func plain(_ text: String) -> String {
        String(String.UnicodeScalarView(text.unicodeScalars.map { $0.properties.generalCategory == .control ? "?" : $0 }))
    }
}

extension Architecture {
    /// The kinds that have modules, in the order in which they start.
    var phases: [(kind: DeclaredModule.Kind, modules: [Module])] {
        DeclaredModule.Kind.allCases.map { kind in (kind, modules.filter { $0.kind == kind }) }.filter { !$0.1.isEmpty }
    }
}

extension String {
    fileprivate func padded(to width: Int) -> String { self + String(repeating: " ", count: max(0, width - count)) }
}
