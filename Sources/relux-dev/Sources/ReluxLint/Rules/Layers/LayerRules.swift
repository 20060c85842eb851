import ReluxLayers

/// Which module may import which.
struct LayerRules {
    let infrastructure: Set<String>
    /// Swift modules of the core that are in its one image.
    let image: Set<String>

    /// The rule that an import breaks; nil for one that is allowed.
    func rule(_ name: String, from subject: ModuleRole, to object: ModuleRole) -> LintRule? {
        switch (subject, object) {
        case (.other, _), (_, .other), (_, .tests), (_, .program): nil
        case (.view, .layer(let layer, _)): layer.isShown ? nil : .userInterface
        case (.view, .part): .userInterface
        case (.view, .orchestrator): .toOrchestrator
        case (.view, _), (.tests, .view), (.program, .view): nil
        case (.layer(let layer, _), .view): layer == .userInterface ? nil : layer.rule
        case (.core, .view): .coreToPlugin
        case (_, .view): .implementation
        case (.core, .core): nil
        case (.core, .layer), (.core, .orchestrator), (.core, .part): .coreToPlugin
        case (.layer(let layer, _), .core): mayImportCore(layer, name) ? nil : layer.rule
        case (_, .core): nil
        case (.tests(nil), _): nil
        case (.tests(let owner?), _): object.owner == owner ? nil : testRule(object)
        case (.layer(let layer, let owner), .layer(let other, let otherOwner)) where owner == otherOwner:
            layer == other || layer.mayImport.contains(other) ? nil : other == .kit ? .kit : layer.rule
        case (.layer(let layer, _), .layer), (.layer(let layer, _), .part), (.layer(let layer, _), .orchestrator):
            object.owner != subject.owner && layer.isClosed ? layer.rule : between(subject, object)
        default: between(subject, object)
        }
    }

    private func mayImportCore(_ layer: Layer, _ name: String) -> Bool {
        switch layer {
        case .models, .serviceInterface: false
        case .interface, .kit: image.contains(name)
        // Platform libraries that the core's package hands on are no Relux, nor are the products that keep files and a database.
        case .serviceImplementation: !name.hasPrefix("Relux") || name == "ReluxFiles" || name == "ReluxStorage"
        case .implementation, .testSupport, .userInterface, .userInterfaceAPI: true
        }
    }

    private func testRule(_ object: ModuleRole) -> LintRule? {
        switch object {
        case .layer(.serviceImplementation, _), .layer(.implementation, _), .part: .implementation
        default: nil
        }
    }

    /// Between two modules of the cluster.
    private func between(_ subject: ModuleRole, _ object: ModuleRole) -> LintRule? {
        guard let own = subject.owner, let other = object.owner, own != other else { return nil }
        let layer: Layer? = if case .layer(let layer, _) = object { layer } else { nil }
        return Layering.broken(by: kind(of: own), knowing: layer, of: kind(of: other))
    }

    private func kind(of module: String) -> ModuleKind {
        if ModuleRole.orchestrator(named: module) != nil { return .orchestrator }
        return infrastructure.contains(module) ? .infrastructure : .domain
    }
}

extension Layer {
    /// It knows nobody but its own domain, not even infrastructure.
    fileprivate var isClosed: Bool {
        switch self {
        case .models, .interface, .serviceInterface, .serviceImplementation, .kit: true
        case .implementation, .testSupport, .userInterface, .userInterfaceAPI: false
        }
    }

    /// Whether a view that is no domain's own may know this layer of one.
    fileprivate var isShown: Bool {
        switch self {
        case .models, .interface, .kit, .userInterface, .userInterfaceAPI: true
        case .serviceInterface, .serviceImplementation, .implementation, .testSupport: false
        }
    }
}
