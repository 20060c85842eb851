package import Relux
import ReluxControl
import ReluxLayers
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
        let others = imports.compactMap { name in Layer.split(name).map { (name, $0) } }.filter { $0.1.module != id.rawValue }
        // What works in another module first: nobody has to know that one for it.
        for (name, part) in others {
            if let refusal = layerViolation(of: declaration, name, part.layer, of: part.module, kind: nil) { return refusal }
        }
        if let path = cycle(from: id, imports: imports) {
            return Refusal(
                .importCycle,
                "imports of \(id) close a cycle: \(path.map(\.rawValue).joined(separator: " → ")). Move what they share"
                    + " into an infrastructure module, or let an orchestrator connect them")
        }
        for (name, part) in others {
            guard let owner = ModuleID(rawValue: part.module).flatMap({ modules[$0] }), owner.state.phase != .refused else { continue }
            if let refusal = layerViolation(of: declaration, name, part.layer, of: part.module, kind: owner.kind) { return refusal }
        }
        for topic in declaration.provides {
            if let owner = index.snapshotOwners[topic], owner != id {
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

    /// - Parameter kind: the other module's; nil to judge by the layer alone.
    private func layerViolation(
        of declaration: ModuleDeclaration, _ name: String, _ layer: Layer, of other: String, kind: ModuleDeclaration.Kind?
    ) -> Refusal? {
        guard let rule = Layering.broken(by: ModuleKind(declaration.kind), knowing: layer, of: kind.map { ModuleKind($0) }) else { return nil }
        let whose = kind.map { "\($0.rawValue) \(other)" } ?? other
        let what = "\(declaration.kind.words) \(declaration.id) imports \(name) of \(whose): \(rule.why)"
        switch rule {
        case .implementation, .serviceOfAnother: return Refusal(Refusal.Rule(rule), "\(what). Import \(Layer.interface(of: other)) instead")
        default: return Refusal(Refusal.Rule(rule), "\(what). Do this: \(rule.remedy)")
        }
    }

    /// A path `id → … → id` along interface imports of accepted modules; nil if there is none.
    private func cycle(from id: ModuleID, imports: [String]) -> [ModuleID]? {
        func next(_ module: ModuleID) -> [ModuleID] {
            if module == id {
                return Layer.interfaces(in: imports).filter { $0 != id }
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
    package static let builtIn: ModuleID = "Cluster"
}
