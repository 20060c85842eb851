/// Why something cannot be tapped.
package struct TapError: Error, Sendable, Hashable, CustomStringConvertible {
    package enum Code: Int, Sendable {
        /// The pattern breaks the grammar.
        case pattern = 1
        /// A socket of the tap failed.
        case socket = 2
    }

    package let code: Code
    /// The failure, the offending value and the remedy.
    package let message: String
    package var description: String { message }

    package init(_ code: Code, _ message: String) {
        self.code = code
        self.message = message
    }
}
