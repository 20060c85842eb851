import ReluxControl
import ReluxOutput

/// Variables of this platform's prefix that nobody reads, because they are spelled nearly like ones that are read.
///
/// Others may be a plugin's own: `RELUX_PAYMENT_URL` is.
package enum EnvironmentNames {
    private static let prefix = "RELUX_"
    /// Beside those of the configuration's keys.
    private static let known = [
        "RELUX_RUN", "RELUX_CONFIG", "RELUX_CONTEXT", "RELUX_CONFIGURATION", "RELUX_STATE", "RELUX_START", "RELUX_LIFELINE_FD", "RELUX_DEV_STEP",
        "RELUX_SWIFT_SYNTAX", "RELUX_SDK", "RELUX_BIN",
    ]
    /// Read by the plugins that come with the platform.
    private static let plugins = ["RELUX_PAYMENT_URL", "RELUX_REFUND_INTERVAL_MS", "RELUX_STARTUP_MODE"]
    /// By module: `RELUX_SERVICES_Notes`.
    private static let services = "RELUX_SERVICES_"
    /// Names after options that every command has; no program reads such a variable.
    private static let options: Set<String> = ["RELUX_TIMEOUT", "RELUX_JSON", "RELUX_OUTPUT", "RELUX_COLOR", "RELUX_QUIET"]
    /// Longer names differ by more letters and are others'.
    private static let edits = 2

    /// A line for each in the hosts' environments of the cluster's file.
    package static func notes(of configuration: ClusterConfiguration) -> [String] {
        let modules = configuration.hosts.flatMap(Launch.modules)
        return configuration.hosts.flatMap { host in
            notes(host.environment, modules: modules).map { "\($0) (environment of host \(host.id) in the cluster's file)" }
        }
    }

    /// A line for each in the supervisor's own environment, and in its hosts'.
    package static func notes(_ environment: [String: String], and configuration: ClusterConfiguration) -> [String] {
        notes(environment, modules: configuration.hosts.flatMap(Launch.modules)) + notes(of: configuration)
    }

    /// A line for each.
    ///
    /// - Parameter modules: those of the cluster's file; nil when there is none.
    package static func notes(_ environment: [String: String], modules: [String]?) -> [String] {
        let names = known + plugins + ClusterConfiguration.variables
        return environment.keys.filter { $0.hasPrefix(prefix) && !names.contains($0) }.sorted().compactMap { name in
            if name.hasPrefix(services) {
                let module = String(name.dropFirst(services.count))
                guard let modules, !modules.contains(module), let meant = NearestName.of(module, among: modules, within: edits) else { return nil }
                return "nobody reads \(name): the cluster's file names no module \(module); did you mean '\(services)\(meant)'?"
            }
            if options.contains(name) { return "nobody reads the variable \(name): give the option --\(name.dropFirst(prefix.count).lowercased())" }
            guard let meant = NearestName.of(name, among: names, within: edits) else { return nil }
            return "nobody reads the variable \(name); did you mean '\(meant)'?"
        }
    }
}
