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
            /// A schedule has a bad name, time or effect.
            case unusableSchedule
            /// The journal's record of a state cannot be restored by this build.
            case storedState
        }
        public let code: Code
        public let module: ModuleID
        public let message: String
        public var description: String { message }

        /// - Parameter known: what has the name; nil for what is no module of this node, such as the node itself.
        static func duplicateModule(_ id: ModuleID, _ refused: any Module, known: (any Module)?) -> Self {
            let owner = known.map { "by another instance, a \(type(of: $0))" } ?? "in this process, as a node's name"
            return Self(
                code: .duplicateModule, module: id,
                message: "\(id), a \(type(of: refused)), is not registered: \(id) is registered already \(owner), which keeps working;"
                    + " unregister it first, or give one of them another `moduleID`")
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
        static func unusableSchedule(_ fault: String, in id: ModuleID) -> Self {
            Self(code: .unusableSchedule, module: id, message: "\(id) is not registered: \(fault)")
        }
        static func duplicateStoredName(_ name: String, in id: ModuleID) -> Self {
            Self(
                code: .duplicateState, module: id,
                message: "\(id) brings two states that are stored as \(name); give one of them another `storedName`")
        }
        static func storedStateIsNewer(_ captured: CapturedState, known: UInt32, in id: ModuleID) -> Self {
            Self(
                code: .storedState, module: id,
                message:
                    "\(id) has stored \(captured.name) in version \(captured.version), this build knows versions up to \(known); start a build that knows version \(captured.version), there is no way back")
        }
        static func storedStateUnreadable(
            _ captured: CapturedState, known: UInt32, in id: ModuleID, _ error: any Error
        ) -> Self {
            let remedy =
                captured.version == known
                ? "raise `storedVersion` when `Stored` changes its shape and bring a `migrate`, or start the build that stored it"
                : "bring a `migrate` that reads version \(captured.version), or start a build that does"
            return Self(
                code: .storedState, module: id,
                message:
                    "\(id) has stored \(captured.name) in version \(captured.version), and version \(known) of this build cannot restore it: \(error); \(remedy)")
        }
        static func dependencyCycle(_ path: [ModuleID]) -> Self {
            Self(
                code: .dependencyCycle, module: path.first ?? "none",
                message: "modules depend on each other: \(path.map(\.rawValue).joined(separator: " → ")); break the cycle")
        }
    }
}
