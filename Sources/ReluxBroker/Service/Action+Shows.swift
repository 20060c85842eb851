import ReluxBus

extension Registry.Action {
    /// It promises nothing that the registry would have to remember.
    var onlyShows: Bool {
        switch self {
        case .answer(_, let response):
            switch response.body {
            case .status, .contracts, .whyNot: true
            default: false
            }
        case .toHosts(_, .ping): true
        default: false
        }
    }
}
