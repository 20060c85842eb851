package import ReluxLint

/// The facts of each module by itself, before the topics' owners are known.
package struct ArchitectureDraft: Sendable {
    package struct Module: Sendable {
        package var declared: DeclaredModule
        package var interface: Architecture.Interface?
        /// Libraries of others, with the module whose they are.
        package var imports: [(library: String, owner: String)] = []
        package var state: String?
        /// Shown only if a module that is shown depends on it.
        package var isContext = false
    }

    package var modules: [Module] = []
    package var notes: [String] = []

    /// Everything in order; of modules with the same name the first.
    package func finished() -> Architecture {
        var known: [String: Module] = [:]
        for module in modules where known[module.declared.id]?.isContext != false { known[module.declared.id] = module }
        let owners = owners(known)
        var dependencies: [Architecture.Dependency] = []
        for module in known.values where !module.isContext { dependencies += Self.dependencies(of: module, known, owners) }
        let shown = Set(known.values.filter { !$0.isContext }.map(\.declared.id)).union(dependencies.map(\.to))
        // Between those that are only led to, too.
        for module in known.values where module.isContext && shown.contains(module.declared.id) {
            dependencies += Self.dependencies(of: module, known, owners).filter { shown.contains($0.to) }
        }
        let ordered = known.values.filter { shown.contains($0.declared.id) }.sorted {
            ($0.declared.kind.phase, $0.declared.id) < ($1.declared.kind.phase, $1.declared.id)
        }
        let place = Dictionary(uniqueKeysWithValues: ordered.enumerated().map { ($1.declared.id, $0) })
        return Architecture(
            modules: ordered.map(Self.module),
            dependencies: dependencies.sorted {
                (place[$0.from] ?? 0, place[$0.to] ?? 0) < (place[$1.from] ?? 0, place[$1.to] ?? 0)
            }, notes: notes + missing(known))
    }

    /// Libraries that somebody imports of a module that is not there.
    private func missing(_ known: [String: Module]) -> [String] {
        known.values.filter { !$0.isContext }.sorted { $0.declared.id < $1.declared.id }.flatMap { module in
            module.imports.filter { known[$0.owner] == nil }.map { "\(module.declared.id) imports \($0.library), whose module is not there" }
        }
    }

    private static func module(_ draft: Module) -> Architecture.Module {
        Architecture.Module(
            id: draft.declared.id, version: draft.declared.version, kind: draft.declared.kind, interface: draft.interface,
            handles: draft.declared.handles, emits: draft.declared.emits, provides: draft.declared.provides,
            observes: draft.declared.observes, state: draft.state)
    }

    /// Each topic's owner: the module whose interface names it, else the module that is called like its first part.
    private func owners(_ known: [String: Module]) -> (String) -> String? {
        var named: [String: String] = [:]
        for module in known.values.sorted(by: { $0.declared.id < $1.declared.id }) {
            guard let interface = module.interface else { continue }
            for topic in interface.effects.map(\.topic) + interface.snapshots where named[topic] == nil { named[topic] = module.declared.id }
        }
        let ids = Set(known.keys)
        return { topic in
            if let owner = named[topic] { return owner }
            let first = String(topic.prefix { $0 != "." })
            return ids.contains(first) ? first : nil
        }
    }

    private static func dependencies(
        of module: Module, _ known: [String: Module], _ owner: (String) -> String?
    ) -> [Architecture.Dependency] {
        let declared = module.declared
        func theirs(_ topics: [String], _ other: String) -> [String] { topics.filter { owner($0) == other } }
        let others = Set(module.imports.map(\.owner) + (declared.emits + declared.handles + declared.observes).compactMap(owner))
            .subtracting([declared.id])
        return others.filter { known[$0] != nil }.map { other in
            Architecture.Dependency(
                from: declared.id, to: other, imports: Set(module.imports.filter { $0.owner == other }.map(\.library)).sorted(),
                emits: theirs(declared.emits, other), handles: theirs(declared.handles, other), observes: theirs(declared.observes, other))
        }
    }
}
