import Relux
package import ReluxLayers
package import ReluxPlugin

extension ModuleKind {
    /// As the module declares it.
    package init(_ declared: ModuleDeclaration.Kind) {
        self = switch declared {
        case .infrastructure: .infrastructure
        case .domain: .domain
        case .orchestrator: .orchestrator
        }
    }
}
