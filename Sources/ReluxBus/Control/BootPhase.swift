import Relux
import ReluxPlugin

/// How far the start of the cluster has come. It only moves forward, except to `closing`.
package enum BootPhase: String, Codable, Sendable, Hashable {
    /// Nobody has declared yet what belongs to the cluster.
    case idle
    case infrastructure, domains, orchestrators
    /// All three are over: the ingress is open, and what is added starts at once.
    case open
    case closing

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
