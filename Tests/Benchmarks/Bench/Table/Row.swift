/// One figure of a run, with raw libzmq's and the goal where there are any.
struct Row {
    static let heads = ["what", "unit", "ours", "raw", "ours / raw", "goal", ""]
    /// The column without a head.
    static let verdict = heads.count - 1

    private let what: String
    private let unit: String
    private let ours: Double?
    private let raw: Double?
    private let goal: Goal?

    init(_ what: String, _ unit: String, _ ours: Double?, raw: Double? = nil, goal: Goal? = nil) {
        (self.what, self.unit, self.ours, self.raw, self.goal) = (what, unit, ours, raw, goal)
    }

    /// nil when nothing was measured.
    var cells: [String]? {
        guard ours != nil || raw != nil else { return nil }
        // Effects that raw libzmq has lost are no measure.
        let ratio = ours.flatMap { ours in raw.flatMap { $0 > 0 ? ours / $0 : nil } }
        let verdict = goal.flatMap { goal in ours.map { goal.verdict($0, ratio: ratio) } }
        return [
            what, unit, Self.text(ours), Self.text(raw), ratio.map { Self.text($0, digits: 2) } ?? "", goal?.text ?? "", verdict ?? "",
        ]
    }

    private static func text(_ value: Double?) -> String {
        guard let value else { return "" }
        return text(value, digits: value >= 1000 ? 0 : value >= 10 ? 1 : 2)
    }

    static func text(_ value: Double, digits: Int) -> String {
        var scale = 1
        for _ in 0..<digits { scale *= 10 }
        let rounded = Int((value * Double(scale)).rounded())
        guard digits > 0 else { return "\(rounded)" }
        let fraction = "\(rounded % scale)"
        return "\(rounded / scale)." + String(repeating: "0", count: digits - fraction.count) + fraction
    }
}
