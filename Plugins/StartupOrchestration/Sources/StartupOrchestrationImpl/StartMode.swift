internal import Glibc

/// Where the start begins: `$RELUX_STARTUP_MODE`, such as `headless`; nothing is left out when that is not set. `StartupOrchestration.Effect.enter`
/// changes it until the process ends.
enum StartMode {
    static func mode(of value: (String) -> String? = { name in getenv(name).map { String(cString: $0) } }) -> String? {
        guard let mode = value("RELUX_STARTUP_MODE"), !mode.isEmpty else { return nil }
        return mode
    }
}
