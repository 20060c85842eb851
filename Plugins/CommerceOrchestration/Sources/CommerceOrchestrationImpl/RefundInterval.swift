internal import Glibc
internal import Relux

/// How often Payment is asked for due refunds: `$RELUX_REFUND_INTERVAL_MS` milliseconds, 30 s if not set.
enum RefundInterval {
    static let allowed = 10...3_600_000

    /// - Throws: a failure that names the variable, its value and what it takes.
    static func read(
        _ value: (String) -> String? = { name in getenv(name).map { String(cString: $0) } }
    ) throws(Relux.Failure) -> Duration {
        guard let text = value("RELUX_REFUND_INTERVAL_MS"), !text.isEmpty else { return .seconds(30) }
        guard let number = Int(text), allowed.contains(number) else {
            throw Relux.Failure(
                domain: "CommerceOrchestration", code: "configuration",
                message: "RELUX_REFUND_INTERVAL_MS is \"\(text)\"; it takes a whole number of milliseconds from \(allowed.lowerBound) to"
                    + " \(allowed.upperBound)")
        }
        return .milliseconds(number)
    }
}
