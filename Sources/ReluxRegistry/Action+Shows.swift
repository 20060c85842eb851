import ReluxControl

extension Registry.Action {
    /// It promises nothing that the registry would have to remember.
    var onlyShows: Bool {
        switch self {
        case .answer(_, let response):
            switch response.body {
            case .status, .contracts, .whyNot: true
            default: false
            }
        case .refused: true
        // A peer that is not asked for its name is taken for dead in a while.
        case .toHosts(_, .ping), .toHosts(_, .introduce), .toSupervisor(_, .introduce): true
        default: false
        }
    }
}
