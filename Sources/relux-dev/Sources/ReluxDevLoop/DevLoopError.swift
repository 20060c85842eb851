import Glibc

/// Why a plugin cannot be watched, or a step's program not be started.
package struct DevLoopError: Error, Hashable, Sendable {
    /// Stable and dotted, for programs.
    package let code: String
    package let message: String
    /// The next thing to do.
    package let hint: String
    /// The exit status of the program.
    package let status: Int32

    package init(_ code: String, _ message: String, hint: String, status: Int32 = 2) {
        self.code = code
        self.message = message
        self.hint = hint
        self.status = status
    }

    /// The system's word for `errno`.
    static func system(_ code: String, _ what: String, hint: String) -> DevLoopError {
        DevLoopError(code, "\(what): \(String(cString: strerror(errno)))", hint: hint, status: 1)
    }
}
