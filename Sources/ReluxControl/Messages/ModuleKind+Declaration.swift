import Relux
package import ReluxLayers
package import ReluxPlugin

extension ModuleDeclaration.Kind {
    /// For people: `user interface`.
    package var words: String { self == .userInterface ? "user interface" : rawValue }
}

extension ModuleKind {
    /// As the module declares it.
    package init(_ declared: ModuleDeclaration.Kind) {
        self = switch declared {
        case .infrastructure: .infrastructure
        case .domain: .domain
        case .orchestrator: .orchestrator
        case .userInterface: .userInterface
        }
    }
}
