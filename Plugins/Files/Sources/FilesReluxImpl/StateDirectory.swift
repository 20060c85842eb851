internal import Glibc

/// Where the module keeps its files: `$RELUX_STATE/Files`, or a directory of this process alone when that is not set.
enum StateDirectory {
    static var path: String {
        if let state = value("RELUX_STATE") { return "\(state)/Files" }
        return "\(value("TMPDIR") ?? "/tmp")/relux-\(getpid())/Files"
    }

    private static func value(_ name: String) -> String? {
        guard let value = getenv(name).map({ String(cString: $0) }), !value.isEmpty else { return nil }
        return value
    }
}
