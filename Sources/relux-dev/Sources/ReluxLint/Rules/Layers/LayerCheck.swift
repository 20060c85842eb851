import ReluxLayers

/// Follows imports and declared dependencies, through helper modules too, to what a layer must not know.
struct LayerCheck {
    let graph: ModuleGraph
    /// By the package's folder.
    let manifests: [String: ManifestLines]
    private let rules: LayerRules

    init(graph: ModuleGraph, manifests: [String: ManifestLines]) {
        self.graph = graph
        self.manifests = manifests
        let image = graph.packages.first { $0.isCore }?.products.first { $0.name == "Relux" }?.targets ?? []
        rules = LayerRules(infrastructure: graph.infrastructure, image: Set(image))
    }

    func findings() -> [Finding] {
        graph.inOrder.filter { !$0.isContext }.flatMap { imports(of: $0) + dependencies(of: $0) }
    }

    // MARK: Sources

    private func imports(of module: ModuleGraph.Module) -> [Finding] {
        module.files.flatMap { file in
            file.imports.compactMap { item in
                finding(module, item.module, item.place) { "\(module.name) imports \($0)" }
            }
        }
    }

    // MARK: Manifests

    private func dependencies(of module: ModuleGraph.Module) -> [Finding] {
        let package = graph.packages[module.package]
        guard let manifest = manifests[package.folder] else { return [] }
        // The links of the core's own package into its tests' neighbours are a build list, not imports.
        if package.isCore { return [] }
        return module.target.dependencies.compactMap { dependency in
            let place = manifest.place(of: dependency.name, in: module.name)
            if case .layer(let layer, _) = module.role, layer.isPlain, isRemote(dependency, package) {
                return Finding(layer.rule, place, "\(module.name) depends on \(dependency.name), which comes from another package")
            }
            return graph.modules(of: dependency, in: package).lazy
                .compactMap { finding(module, $0, place) { "\(module.name) depends on \($0)" } }.first
        }
    }

    private func isRemote(_ dependency: PackageModel.Dependency, _ package: PackageModel) -> Bool {
        guard case .product(_, let other) = dependency else { return false }
        return package.remotes.contains(other.lowercased())
    }

    // MARK: Both

    private func finding(_ module: ModuleGraph.Module, _ first: String, _ place: Place, _ words: (String) -> String) -> Finding? {
        guard first != module.name, let object = graph.modules[first] else { return nil }
        if let rule = rules.rule(first, from: module.role, to: object.role) { return Finding(rule, place, words(first)) }
        guard let (rule, path) = beyond(object, for: module) else { return nil }
        return Finding(rule, place, words(first) + ", which leads to \(path.joined(separator: ", then "))")
    }

    /// The rule that an import breaks through modules that no rule speaks of, and the way there.
    ///
    /// Only through those: any other module's own imports are judged as its own, where they stand.
    private func beyond(_ start: ModuleGraph.Module, for module: ModuleGraph.Module) -> (LintRule, [String])? {
        guard start.role.isTransparent else { return nil }
        var seen: Set = [start.name, module.name]
        var queue: [(ModuleGraph.Module, path: [String])] = [(start, [])]
        while !queue.isEmpty {
            let (next, path) = queue.removeFirst()
            for name in graph.links(of: next) where seen.insert(name).inserted {
                guard let object = graph.modules[name], rules.rule(name, from: next.role, to: object.role) == nil else { continue }
                if let rule = rules.rule(name, from: module.role, to: object.role) { return (rule, path + [name]) }
                if object.role.isTransparent { queue.append((object, path + [name])) }
            }
        }
        return nil
    }
}

extension Layer {
    /// Nothing from elsewhere, whatever it is.
    fileprivate var isPlain: Bool { [.models, .serviceInterface, .interface, .kit].contains(self) }
}

extension ModuleRole {
    fileprivate var isTransparent: Bool {
        switch self {
        case .part, .other: true
        default: false
        }
    }
}
