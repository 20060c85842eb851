import Relux
import ReluxControl
import ReluxPlugin

extension BootPhase {
    /// Whether modules of the kind may start and become ready.
    func allows(_ kind: ModuleDeclaration.Kind) -> Bool {
        switch self {
        case .idle, .closing: false
        case .infrastructure: kind.rank == 0
        case .domains: kind.rank <= 1
        case .orchestrators, .open: true
        }
    }

    /// The rank of the kinds that the phase is about, and what follows; nil where nothing holds it up.
    var step: (rank: Int, next: BootPhase)? {
        switch self {
        case .infrastructure: (0, .domains)
        case .domains: (1, .orchestrators)
        case .orchestrators: (2, .open)
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
        case .orchestrator, .userInterface: 2
        }
    }
}
