import ReluxBus
import ReluxPlugin
import ReluxWire

/// The rules of the pattern, checked against the modules that are accepted already.
extension Registry {
    /// The first rule that the module would break; nil if it may join.
    func violation(of declaration: ModuleDeclaration, imports: [String], in host: HostID) -> Refusal? {
        let id = declaration.id
        if let refusal = Self.nameViolation(of: id) { return refusal }
        if let fault = declaration.topicFault {
            return Refusal(.unusableTopic, "\(id) declares what cannot travel: \(fault)")
        }
        if let owner = modules[id], owner.host != host, !owner.state.phase.isOver {
            return Refusal(
                .moduleIDTaken,
                "module id \(id) is taken: host \(owner.host) runs it (\(owner.state.phase.rawValue)), host \(host) claims"
                    + " it too; the first goes on. Unload it first or give the second another id")
        }
        if declaration.kind == .orchestrator, let refusal = Self.statefulness(of: declaration) { return refusal }
        for product in imports.compactMap(Product.init) where product.owner != id {
            if let refusal = importViolation(of: declaration, product) { return refusal }
        }
        if let path = cycle(from: id, imports: imports) {
            return Refusal(
                .importCycle,
                "imports of \(id) close a cycle: \(path.map(\.rawValue).joined(separator: " → ")). Move what they share"
                    + " into an infrastructure module, or let an orchestrator connect them")
        }
        for product in imports.compactMap(Product.init) where product.owner != id {
            if let refusal = layerViolation(of: declaration, product) { return refusal }
        }
        for topic in declaration.provides {
            if let owner = snapshotOwners[topic], owner != id {
                return Refusal(
                    .snapshotProvidedTwice,
                    "\(id) provides the snapshot \(topic), which \(owner) provides already; a snapshot has one owner."
                        + " Rename one of the two types")
            }
        }
        return durabilityViolation(of: declaration)
    }

    static func nameViolation(of id: ModuleID) -> Refusal? {
        guard id != builtIn else {
            return Refusal(.reservedID, "module id \(id) is the broker's own node; use another one")
        }
        return nil
    }

    private static func statefulness(of declaration: ModuleDeclaration) -> Refusal? {
        if !declaration.states.isEmpty {
            return Refusal(
                .orchestratorHasStates,
                "orchestrator \(declaration.id) registers the states \(declaration.states.joined(separator: ", ")); an"
                    + " orchestrator has none. Move them into a domain, or carry the context in the effect")
        }
        if !declaration.flows.isEmpty {
            return Refusal(
                .orchestratorHasFlows,
                "orchestrator \(declaration.id) registers the flows \(declaration.flows.joined(separator: ", ")); an"
                    + " orchestrator answers with effects only. Make each of them a Saga")
        }
        return nil
    }

    /// Why the module imports a library that nobody may link; nil when it does not.
    private func importViolation(of declaration: ModuleDeclaration, _ product: Product) -> Refusal? {
        let name = product.owner.rawValue + product.role.rawValue
        switch product.role {
        case .implementation, .serviceImplementation, .views, .testSupport:
            return Refusal(
                .importsImplementation,
                "\(declaration.id) imports \(name), a private product of \(product.owner). Import"
                    + " \(Product.interface(of: product.owner)) instead")
        case .serviceInterface where declaration.kind == .orchestrator:
            return Refusal(
                .orchestratorImportsService,
                "orchestrator \(declaration.id) imports \(name); an orchestrator knows interfaces only. Import"
                    + " \(Product.interface(of: product.owner)) and send it an effect")
        case .interface, .models, .serviceInterface:
            return nil
        }
    }

    /// Who may know whom.
    private func layerViolation(of declaration: ModuleDeclaration, _ product: Product) -> Refusal? {
        guard let owner = modules[product.owner], owner.state.phase != .refused else { return nil }
        let id = declaration.id
        let name = product.owner.rawValue + product.role.rawValue
        switch (declaration.kind, owner.kind) {
        case (.domain, .domain):
            return Refusal(
                .domainImportsDomain,
                "domain \(id) imports \(name) of domain \(owner.id); domains do not know each other. Connect them in an"
                    + " orchestrator")
        case (.orchestrator, .orchestrator):
            return Refusal(
                .orchestratorImportsOrchestrator,
                "orchestrator \(id) imports \(name) of orchestrator \(owner.id). Let both react to an effect of a domain")
        case (let mine, let theirs) where mine.rank < theirs.rank:
            return Refusal(
                .importsLaterPhase,
                "\(mine.rawValue) \(id) imports \(name) of \(theirs.rawValue) \(owner.id), which starts in a later phase."
                    + " Turn the dependency round, or connect them in an orchestrator")
        default:
            return nil
        }
    }

    /// A path `id → … → id` along interface imports of accepted modules; nil if there is none.
    private func cycle(from id: ModuleID, imports: [String]) -> [ModuleID]? {
        func next(_ module: ModuleID) -> [ModuleID] {
            if module == id {
                return imports.compactMap(Product.init).filter { $0.role == .interface && $0.owner != id }.map(\.owner)
            }
            guard let record = modules[module], record.state.phase != .refused else { return [] }
            return record.providers
        }
        var cameFrom: [ModuleID: ModuleID] = [:]
        var stack = [id]
        while let module = stack.popLast() {
            for provider in next(module) {
                if provider == id {
                    var path = [id, module]
                    var step = module
                    while let before = cameFrom[step] {
                        path.append(before)
                        step = before
                    }
                    return path.reversed()
                }
                if cameFrom[provider] == nil {
                    cameFrom[provider] = module
                    stack.append(provider)
                }
            }
        }
        return nil
    }

    /// The first field in which a library's own declaration differs from its manifest's.
    static func difference(_ manifest: ModuleDeclaration, _ library: ModuleDeclaration) -> Refusal? {
        func list(_ items: [some CustomStringConvertible]) -> String {
            "[" + items.map(\.description).sorted().joined(separator: ", ") + "]"
        }
        let fields: [(name: String, manifest: String, library: String)] = [
            ("id", manifest.id.rawValue, library.id.rawValue),
            ("version", manifest.version, library.version),
            ("kind", manifest.kind.rawValue, library.kind.rawValue),
            ("handling", manifest.handling.rawValue, library.handling.rawValue),
            ("handles", list(manifest.handles), list(library.handles)),
            ("emits", list(manifest.emits), list(library.emits)),
            ("provides", list(manifest.provides), list(library.provides)),
            ("observes", list(manifest.observes), list(library.observes)),
            ("states", list(manifest.states), list(library.states)),
            ("flows", list(manifest.flows), list(library.flows)),
            ("durabilities", list(manifest.durabilityList), list(library.durabilityList)),
            ("startBarrier", manifest.startBarrier.map(list) ?? "none", library.startBarrier.map(list) ?? "none"),
        ]
        guard let field = fields.first(where: { $0.manifest != $0.library }) else { return nil }
        return Refusal(
            .declarationDiffers,
            "\(manifest.id): the manifest says \(field.name) = \(field.manifest), the library \(field.library). Pack the"
                + " plugin again: relux module pack")
    }

    /// The module id of the broker's own node.
    static let builtIn: ModuleID = "Cluster"
}
