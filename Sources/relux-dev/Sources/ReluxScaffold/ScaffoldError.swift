/// Why nothing was written: what was wrong, the value, the limit, the remedy.
package struct ScaffoldError: Error, Hashable, Sendable, CustomStringConvertible {
    /// Stable, for programs: `new.name`.
    package let code: String
    package let message: String
    package let hint: String

    package init(_ code: String, _ message: String, hint: String) {
        self.code = code
        self.message = message
        self.hint = hint
    }

    package var description: String { "\(message); \(hint)" }
}
