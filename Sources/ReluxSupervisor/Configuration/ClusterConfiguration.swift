package import ReluxControl

/// The contents of `cluster.yaml`, checked once and then plain values. `deploy/cluster.yaml` documents every key.
package struct ClusterConfiguration: Sendable, Equatable {
    package struct EffectiveValue: Sendable, Equatable, CustomStringConvertible {
        package enum Origin: Sendable, Equatable, CustomStringConvertible {
            case flag
            case environment(variable: String)
            case file(line: Int)
            case fallback
            package var description: String {
                switch self {
                case .flag: "flag"
                case .environment(let variable): "environment \(variable)"
                case .file(let line): "file line \(line)"
                case .fallback: "default"
                }
            }
        }
        package let key: String
        package let value: String
        package let origin: Origin
        package var description: String { "\(key) = \(value)  (\(origin))" }
    }

    package let name: String
    /// The run directory, absolute.
    package let directory: String
    /// Where `module:` finds packed plugins, as `<packed>/<module>/current`; absolute.
    package let packed: String
    /// One per process, in the order of their first mention.
    package let hosts: [HostSpec]
    package let supervision: SupervisorMachine.Settings
    package let dispatchDeadline: Duration
    package let busPatience: Duration
    package let busQueueMebibytes: Int
    package let memory: MemoryLimits
    /// Every value with where it came from: flag over environment over file over default.
    package let effective: [EffectiveValue]

    /// The variables that stand for keys.
    package static var variables: [String] { ConfigurationKey.all.map(\.variable) }

    /// The settings that hosts and the broker are told by their environment.
    package var childEnvironment: [String: String] {
        let handed = [
            "cluster.name", "dispatch.deadline", "liveness.stall", "liveness.restart", "modules.evict-after", "bus.patience",
            "bus.queue-mebibytes", "bus.queue-frames", "journal.retention-mebibytes", "journal.retention-age",
            "journal.node-mebibytes", "journal.reserve-mebibytes",
        ]
        let pairs = ConfigurationKey.all.filter { handed.contains($0.name) }.compactMap { key in
            effective.first { $0.key == key.name }.map { (key.variable, $0.value) }
        }
        return Dictionary(uniqueKeysWithValues: pairs)
    }
}
