internal import Glibc

extension Relux.Plugin {
    /// The directory in which the module keeps its files: `$RELUX_STATE/<module>`, or one of this process alone where that is not set. It may not
    /// exist yet.
    public static var stateDirectory: String {
        if let state = variable("RELUX_STATE") { return "\(state)/\(moduleID)" }
        return "\(variable("TMPDIR") ?? "/tmp")/relux-\(getpid())/\(moduleID)"
    }

    private static func variable(_ name: String) -> String? {
        guard let value = getenv(name).map({ String(cString: $0) }), !value.isEmpty else { return nil }
        return value
    }
}
