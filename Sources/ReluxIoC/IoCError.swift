/// Why a container could not register or resolve a type.
public struct IoCError: Error, Sendable, Equatable, CustomStringConvertible {
    /// Stable numbers: they may be logged and compared across versions.
    public enum Code: Int, Sendable {
        case notRegistered = 1
        case alreadyRegistered = 2
        case asynchronousOnly = 3
        case mainActorOnly = 4
        case cycle = 5
        case factoryFailed = 6
    }

    public let code: Code
    /// The failure, the type that it concerns, and the remedy.
    public let message: String

    public init(code: Code, message: String) {
        self.code = code
        self.message = message
    }

    public var description: String { "ioc.\(code): \(message)" }
}
