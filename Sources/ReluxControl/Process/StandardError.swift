import Glibc
import ReluxOutput

/// Lines for whoever watches the process: the supervisor points it at the process's log.
package enum StandardError {
    /// Writes the line whole. A process that serves goes on without its log: a full disk or a closed descriptor ends nobody.
    package static func write(_ line: String) { _ = Descriptor.write(Array((line + "\n").utf8), to: STDERR_FILENO) }
}
