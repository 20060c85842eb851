import ReluxControl
import ReluxWire

/// One setting with a single value: how it is called, what it may be, what it is if nobody says otherwise.
struct ConfigurationKey: Sendable {
    enum Kind: Sendable {
        case name
        case path
        case integer(ClosedRange<Int>)
        case duration(ClosedRange<Duration>)
    }

    let name: String
    let kind: Kind
    /// Empty where the default depends on other keys.
    let fallback: String

    /// `supervisor.backoff.base` is `RELUX_SUPERVISOR_BACKOFF_BASE`.
    var variable: String {
        "RELUX_" + String(name.uppercased().map { $0 == "." || $0 == "-" ? "_" : $0 })
    }

    static let all: [ConfigurationKey] = [
        .init(name: "cluster.name", kind: .name, fallback: "relux"),
        .init(name: "cluster.directory", kind: .path, fallback: ""),
        .init(name: "cluster.packed", kind: .path, fallback: ""),
        .init(name: "supervisor.intensity", kind: .integer(0...1000), fallback: "5"),
        .init(name: "supervisor.period", kind: .duration(.seconds(1) ... .seconds(3600)), fallback: "60s"),
        .init(name: "supervisor.backoff.base", kind: .duration(.milliseconds(1) ... .seconds(60)), fallback: "100ms"),
        .init(name: "supervisor.backoff.cap", kind: .duration(.milliseconds(1) ... .seconds(600)), fallback: "30s"),
        .init(name: "supervisor.backoff.reset", kind: .duration(.seconds(1) ... .seconds(3600)), fallback: "60s"),
        .init(name: "supervisor.stop.drain", kind: .duration(.zero ... .seconds(600)), fallback: "5s"),
        .init(name: "supervisor.stop.term", kind: .duration(.zero ... .seconds(600)), fallback: "2s"),
        .init(name: "dispatch.deadline", kind: .duration(.milliseconds(1) ... .seconds(3600)), fallback: "30s"),
        .init(name: "liveness.stall", kind: .duration(.milliseconds(100) ... .seconds(3600)), fallback: "10s"),
        .init(name: "liveness.restart", kind: .duration(.milliseconds(100) ... .seconds(3600)), fallback: "60s"),
        .init(name: "modules.evict-after", kind: .duration(.zero ... .seconds(365 * 24 * 3600)), fallback: "24h"),
        .init(name: "bus.patience", kind: .duration(.zero ... .seconds(1)), fallback: "5ms"),
        .init(name: "bus.queue-mebibytes", kind: .integer(1...65536), fallback: "64"),
        .init(name: "bus.queue-frames", kind: .integer(1...1_000_000), fallback: "10000"),
        .init(name: "memory.broker-mebibytes", kind: .integer(0...1_048_576), fallback: "2048"),
        .init(name: "memory.host-mebibytes", kind: .integer(0...1_048_576), fallback: "8192"),
        .init(name: "journal.retention-mebibytes", kind: .integer(1...1_048_576), fallback: "256"),
        .init(name: "journal.retention-age", kind: .duration(.zero ... .seconds(31_536_000)), fallback: "86400s"),
        .init(name: "journal.node-mebibytes", kind: .integer(1...16_777_216), fallback: "8192"),
        .init(name: "journal.reserve-mebibytes", kind: .integer(0...16_777_216), fallback: "128"),
    ]

    /// The allowed values, in words.
    var allowed: String {
        switch kind {
        case .name: "1 to 64 of A-Z a-z 0-9 _ . -, not starting with a dot"
        case .path: "a directory's path"
        case .integer(let range): "a whole number from \(range.lowerBound) to \(range.upperBound)"
        case .duration(let range):
            "a duration from \(DurationText.print(range.lowerBound)) to \(DurationText.print(range.upperBound)), "
                + "such as 100ms, 30s, 5m or 24h"
        }
    }

    /// Nil if the text may be this key's value, else what is wrong with it.
    func refusal(of text: String) -> ConfigurationError.Code? {
        switch kind {
        case .name: return HostID(rawValue: text).isWellFormed ? nil : .outOfRange
        case .path: return text.isEmpty ? .outOfRange : nil
        case .integer(let range):
            guard let value = Int(text) else { return .wrongType }
            return range.contains(value) ? nil : .outOfRange
        case .duration(let range):
            guard let value = DurationText.parse(text) else { return .wrongType }
            return range.contains(value) ? nil : .outOfRange
        }
    }
}
