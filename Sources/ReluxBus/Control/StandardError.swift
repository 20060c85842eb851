import Glibc

/// Lines for whoever watches the process: the supervisor points it at the process's log.
package enum StandardError {
    /// Writes the line whole; a closed descriptor is nobody's loss.
    package static func write(_ line: String) {
        let text = line + "\n"
        _ = text.withCString { Glibc.write(STDERR_FILENO, $0, strlen($0)) }
    }
}
