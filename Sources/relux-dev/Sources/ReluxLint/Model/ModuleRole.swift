package import ReluxLayers

/// The role of a Swift module in the architecture.
package enum ModuleRole: Hashable, Sendable {
    case layer(Layer, of: String)
    case orchestrator(String)
    /// Any other library in a domain's package.
    case part(of: String)
    /// An executable in the package of a domain or an orchestrator.
    case program(of: String)
    /// A library that shows an app, over the interfaces of any domains; or the program of a user interface.
    case view
    case tests(of: String?)
    /// Relux itself and its tools.
    case core
    /// Nothing that a rule speaks of; its imports count for whoever imports it.
    case other
}

extension ModuleRole {
    /// The orchestrator's name if it is one's: `SessionOrchestration` of itself and of `SessionOrchestrationImpl`.
    static func orchestrator(named name: String) -> String? {
        let stem = name.hasSuffix("Impl") ? String(name.dropLast(4)) : name
        let suffix = "Orchestration"
        return stem.hasSuffix(suffix) && stem.utf8.count > suffix.utf8.count ? stem : nil
    }
}
