import Relux
import ReluxControl
import ReluxPlugin

extension BootPhase {
    /// Whether modules of the kind may start and become ready.
    func allows(_ kind: ModuleDeclaration.Kind) -> Bool {
        switch self {
        case .idle, .closing: false
        case .infrastructure: kind == .infrastructure
        case .domains: kind != .orchestrator
        case .orchestrators, .open: true
        }
    }

    /// The kind that the phase is about, and what follows; nil where nothing holds it up.
    var step: (kind: ModuleDeclaration.Kind, next: BootPhase)? {
        switch self {
        case .infrastructure: (.infrastructure, .domains)
        case .domains: (.domain, .orchestrators)
        case .orchestrators: (.orchestrator, .open)
        case .idle, .open, .closing: nil
        }
    }
}

extension ModuleDeclaration.Kind {
    /// 0, 1, 2 in start order.
    var rank: Int {
        switch self {
        case .infrastructure: 0
        case .domain: 1
        case .orchestrator: 2
        }
    }
}
