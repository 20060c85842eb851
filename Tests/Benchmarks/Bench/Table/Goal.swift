/// The goal of a figure; `Sources/ReluxBus/ReluxBus.docc/Figures.md` says which and why. It judges a table, never a benchmark's exit status:
/// machines are shared.
struct Goal {
    private enum Bound: String {
        case atLeast = ">="
        case atMost = "<="
        case below = "<"
    }

    private let bound: Bound
    private let limit: Double
    /// The ratio of ours to raw libzmq's in the same run, instead of the figure itself.
    private let isRatio: Bool

    static func atLeast(_ limit: Double) -> Goal { Goal(bound: .atLeast, limit: limit, isRatio: false) }
    static func atMost(_ limit: Double) -> Goal { Goal(bound: .atMost, limit: limit, isRatio: false) }
    static func below(_ limit: Double) -> Goal { Goal(bound: .below, limit: limit, isRatio: false) }
    static func atLeast(timesRaw limit: Double) -> Goal { Goal(bound: .atLeast, limit: limit, isRatio: true) }
    static func atMost(timesRaw limit: Double) -> Goal { Goal(bound: .atMost, limit: limit, isRatio: true) }

    var text: String {
        let digits = isRatio || limit != limit.rounded() ? 1 : 0
        return "\(bound.rawValue) \(Row.text(limit, digits: digits))\(isRatio ? "x" : "")"
    }

    /// - Parameter ratio: nil when the run has no figure of raw libzmq.
    func verdict(_ figure: Double, ratio: Double?) -> String {
        guard let value = isRatio ? ratio : figure else { return "unknown" }
        let isMet =
            switch bound {
            case .atLeast: value >= limit
            case .atMost: value <= limit
            case .below: value < limit
            }
        return isMet ? "met" : "missed"
    }
}
