/// A module's place in the start order, and in the layers.
package enum ModuleKind: String, CaseIterable, Sendable {
    case infrastructure, domain, orchestrator, userInterface
}

/// Which layer of another module a module may know: one rule for imports in sources, for libraries that link each other, and for modules that join.
package enum Layering {
    /// The rule that is broken; nil for what is allowed.
    ///
    /// - Parameters:
    ///   - layer: nil for a library that is no layer: what works in the other module.
    ///   - other: nil for a module that is not declared yet; then only the layer is judged.
    package static func broken(by kind: ModuleKind, knowing layer: Layer?, of other: ModuleKind?) -> ErrorCode? {
        if other == .userInterface { return .toOrchestrator }
        if other == .orchestrator { return kind == .orchestrator ? .orchestratorToOrchestrator : .toOrchestrator }
        switch layer {
        case .interface, .models, .kit: break
        case .serviceInterface: return .serviceOfAnother
        case .serviceImplementation, .implementation, .testSupport, .userInterface, .userInterfaceAPI, nil: return .implementation
        }
        guard other == .domain else { return nil }
        switch kind {
        case .domain: return .domainToDomain
        case .infrastructure: return .infrastructureToDomain
        case .orchestrator, .userInterface: return nil
        }
    }
}
