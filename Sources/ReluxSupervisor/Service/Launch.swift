package import ReluxControl

/// How the supervisor's children are called: executables, arguments, environment, logs.
///
/// The broker gets `--run DIR`; a host `--host NAME --run DIR`, `--plugin DIR` for each of its plugins, and `--kinds TEXT`. The
/// environment is the supervisor's own, with the configuration's values and what is below; a host's own entries win.
package struct Launch: Sendable, Equatable {
    package var broker: String
    package var host: String
    package var directory: RunDirectory
    package var environment: [String: String]
    package var memory: MemoryLimits
    package init(
        broker: String, host: String, directory: RunDirectory, environment: [String: String], memory: MemoryLimits = MemoryLimits()
    ) {
        self.memory = memory
        self.broker = broker
        self.host = host
        self.directory = directory
        self.environment = environment
    }

    package func spec(for child: SupervisorMachine.Child) -> ChildSpec {
        var variables = environment
        variables["RELUX_RUN"] = directory.path
        variables["SWIFT_BACKTRACE"] = Backtrace.setting(directory: directory.crashes)
        switch child {
        case .broker:
            return ChildSpec(
                executable: broker, arguments: ["--run", directory.path], environment: variables,
                log: directory.log(of: "broker"), memory: memory.broker)
        case .host(let spec, let start):
            variables["RELUX_HOST"] = spec.id.rawValue
            variables.merge(spec.environment) { _, own in own }
            variables[StartNumber.variable] = start.text(for: spec.id)
            let plugins = spec.plugins.flatMap { ["--plugin", $0] } + (spec.kinds.map { ["--kinds", $0.text] } ?? [])
            return ChildSpec(
                executable: spec.executable.isEmpty ? host : spec.executable,
                arguments: ["--host", spec.id.rawValue, "--run", directory.path] + plugins,
                environment: variables, log: directory.log(of: spec.id.rawValue), memory: memory.host)
        }
    }

    /// Module names of a host's plugins, from `…/<module>/<version>`.
    static func modules(of spec: HostSpec) -> [String] {
        spec.plugins.map { path in
            let parts = path.split(separator: "/")
            return parts.dropLast().last.map(String.init) ?? path
        }
    }
}
