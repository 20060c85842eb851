package import ReluxControl

extension ModuleState.Phase {
    /// The arrows of a module's life; whatever is not here is refused and counted.
    package var successors: Set<ModuleState.Phase> {
        switch self {
        case .declared: [.verified, .starting, .recovering, .stopped, .backoff, .quarantined, .refused]
        case .verified: [.starting, .recovering, .stopped, .backoff, .quarantined, .refused]
        case .starting: [.verified, .recovering, .stopped, .backoff, .quarantined, .refused]
        case .recovering: [.waiting, .ready, .draining, .stopped, .backoff, .quarantined, .refused]
        case .waiting: [.ready, .draining, .stopped, .backoff, .quarantined, .refused]
        case .ready: [.waiting, .draining, .stopped, .backoff, .quarantined, .refused]
        case .draining: [.stopped, .backoff, .quarantined, .refused]
        case .stopped: [.verified, .starting, .recovering, .backoff, .quarantined, .refused]
        case .backoff: [.verified, .starting, .recovering, .stopped, .quarantined, .refused]
        case .quarantined: [.verified, .starting, .recovering, .stopped, .backoff, .refused]
        case .refused: [.verified, .stopped]
        // What stands by is another instance than the one whose life this is.
        case .standby: []
        }
    }

    /// Still on its way to ready.
    var isPending: Bool {
        switch self {
        case .declared, .verified, .starting, .recovering, .waiting: true
        case .ready, .draining, .stopped, .backoff, .quarantined, .refused, .standby: false
        }
    }

    /// Ended; its name may be taken by a new declaration.
    var isOver: Bool { self == .refused || self == .stopped }
}
