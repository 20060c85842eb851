public import ReluxWire

extension Relux {
    /// Why a module was not registered.
    public struct RegistrationError: Error, Sendable, CustomStringConvertible {
        public enum Code: String, Sendable {
            /// Another instance with the same module id is registered; the first keeps working.
            case duplicateModule
            case duplicateState
            case duplicateRelay
            case dependencyCycle
            /// An effect or a shared snapshot has a name that cannot travel.
            case unusableTopic
        }
        public let code: Code
        public let module: ModuleID
        public let message: String
        public var description: String { message }

        static func duplicateModule(_ id: ModuleID) -> Self {
            Self(
                code: .duplicateModule, module: id,
                message: "\(id) is registered already by another instance, which keeps working; unregister it first")
        }
        static func duplicateState(_ type: String, in id: ModuleID) -> Self {
            Self(
                code: .duplicateState, module: id,
                message: "\(id) brings a second \(type); a node keeps one state of each type")
        }
        static func duplicateRelay(_ type: String, in id: ModuleID) -> Self {
            Self(
                code: .duplicateRelay, module: id,
                message: "\(id) brings a second relay of \(type); there is one relay for each snapshot type")
        }
        static func unusableTopic(_ fault: String, in id: ModuleID) -> Self {
            Self(code: .unusableTopic, module: id, message: "\(id) is not registered: \(fault)")
        }
        static func dependencyCycle(_ path: [ModuleID]) -> Self {
            Self(
                code: .dependencyCycle, module: path.first ?? "none",
                message: "modules depend on each other: \(path.map(\.rawValue).joined(separator: " → ")); break the cycle")
        }
    }
}
