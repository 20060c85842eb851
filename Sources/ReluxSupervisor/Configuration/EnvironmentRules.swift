import ReluxOutput

/// The variables that a host may be given by the cluster's file, and their values.
enum EnvironmentRules {
    /// Variables that a host's process gets from the supervisor itself, or from the host; another value would part it from its cluster.
    private static let own = ["RELUX_RUN", "RELUX_CONFIG", "RELUX_STATE", "RELUX_HOST", "RELUX_START", "RELUX_LIFELINE_FD"]

    /// The keys that a host reads: one may have values of its own.
    private static let hosts = [
        "dispatch.deadline", "liveness.stall", "bus.patience", "bus.queue-mebibytes", "bus.queue-frames", "journal.retention-mebibytes",
        "journal.retention-age", "journal.node-mebibytes", "journal.reserve-mebibytes",
    ]

    /// The number of letters that may be wrong in a name of ours; names that differ by more are a plugin's.
    private static let edits = 2

    /// Nil for a variable that a process can have and that leaves it in its cluster, else what is wrong with it.
    static func refusal(_ name: String, _ value: String?) -> (code: ConfigurationError.Code, text: String)? {
        func refusal(_ code: ConfigurationError.Code, _ text: String) -> (ConfigurationError.Code, String) {
            (code, "cluster.plugins.environment: \(text)")
        }
        guard !name.isEmpty, !name.utf8.contains(where: { $0 == UInt8(ascii: "=") || $0 == 0 }) else {
            return refusal(.outOfRange, "\"\(name)\" is no variable's name; it takes one or more characters without = and NUL")
        }
        guard let value, !value.utf8.contains(0) else { return refusal(.wrongType, "\(name) takes one text without NUL") }
        if own.contains(name) {
            return refusal(.conflict, "\(name) is the cluster's own, and a host has that of its cluster; leave it out")
        }
        if let key = ConfigurationKey.all.first(where: { $0.variable == name }) {
            guard hosts.contains(key.name) else {
                return refusal(.conflict, "\(name) is \(key.name), which no host reads: it is the whole cluster's; set that key in the file instead")
            }
            return key.refusal(of: value).map { refusal($0, "\(name): \"\(value)\" is not allowed; it takes \(key.allowed)") }
        }
        guard name.hasPrefix("RELUX_"), let meant = NearestName.of(name, among: ConfigurationKey.all.map(\.variable) + own, within: edits) else { return nil }
        return refusal(.unknownKey, "nobody reads \(name); did you mean \(meant)?")
    }

    /// The keys that a host's variables give it values of its own for.
    static func overrides(_ environment: [String: String]) -> [String: String] {
        let pairs = ConfigurationKey.all.compactMap { key in environment[key.variable].map { (key.name, $0) } }
        return Dictionary(uniqueKeysWithValues: pairs)
    }
}
