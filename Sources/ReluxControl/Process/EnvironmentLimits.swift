import Glibc
import ReluxWire

/// Limits that a host or the broker takes from its environment; the supervisor hands the configuration's values on.
///
/// `dispatch.deadline` is `RELUX_DISPATCH_DEADLINE`. What is absent keeps its default; so does what cannot be read, with
/// a line on standard error.
package enum EnvironmentLimits {
    package static func duration(_ key: String, default fallback: Duration) -> Duration {
        value(key, "such as 100ms, 30s, 5m or 24h", DurationText.parse) ?? fallback
    }

    package static func integer(_ key: String, in range: ClosedRange<Int>, default fallback: Int) -> Int {
        value(key, "from \(range.lowerBound) to \(range.upperBound)") { text in
            Int(text).flatMap { range.contains($0) ? $0 : nil }
        } ?? fallback
    }

    private static func value<Value>(_ key: String, _ allowed: String, _ parse: (String) -> Value?) -> Value? {
        let name = "RELUX_" + String(key.uppercased().map { $0 == "." || $0 == "-" ? "_" : $0 })
        guard let raw = getenv(name) else { return nil }
        let text = String(cString: raw)
        guard let value = parse(text) else {
            StandardError.write("relux: \(name)=\(text) is not \(allowed); the default is used")
            return nil
        }
        return value
    }
}
