/// A `cluster.yaml` (or a variable, or a flag in its place) that cannot be used; nothing has been started.
package struct ConfigurationError: Error, Sendable, Equatable, CustomStringConvertible {
    package enum Code: Int, Sendable {
        case unreadable = 1
        case syntax = 2
        case unknownKey = 3
        case wrongType = 4
        case outOfRange = 5
        case missing = 6
        case duplicate = 7
        case conflict = 8
    }
    package let code: Code
    /// `cluster.yaml:7: supervisor.intensity: …`: where, what is wrong with which value, what is allowed.
    package let message: String
    package var description: String { message }

    init(_ code: Code, at place: String, _ text: String) {
        self.code = code
        message = "\(place): \(text)"
    }
}
