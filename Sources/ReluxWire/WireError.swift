/// Why bytes, or a name, could not be read or written.
///
/// Outside data never traps: every decoder of this module is total and answers with one of these.
public struct WireError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The kind of failure; its number is stable across releases.
    public struct Code: Sendable, Hashable, CustomStringConvertible {
        private enum Kind: UInt16 {
            case truncated = 1
            case malformed = 2
            case limitExceeded = 3
            case typeMismatch = 4
            case missingField = 5
            case codableFailed = 6
            case invalidName = 7
            case unsupportedVersion = 8
            case checksumMismatch = 9
        }

        private let kind: Kind

        private init(_ kind: Kind) { self.kind = kind }

        /// The bytes end before the value does.
        public static let truncated = Code(.truncated)
        /// The bytes break the format; sending them again will not help.
        public static let malformed = Code(.malformed)
        /// A documented limit (depth, size, count) is exceeded.
        public static let limitExceeded = Code(.limitExceeded)
        /// The bytes are well formed and hold a value of another type or range.
        public static let typeMismatch = Code(.typeMismatch)
        /// A field that the type needs is absent.
        public static let missingField = Code(.missingField)
        /// The type's own `encode(to:)` or `init(from:)` threw.
        public static let codableFailed = Code(.codableFailed)
        /// A module id, topic or effect id breaks its grammar.
        public static let invalidName = Code(.invalidName)
        /// The sender speaks a version of the format that this build does not know.
        public static let unsupportedVersion = Code(.unsupportedVersion)
        /// The bytes were damaged on their way or at rest.
        public static let checksumMismatch = Code(.checksumMismatch)

        /// The stable number.
        public var number: UInt16 { kind.rawValue }
        public var description: String { "\(kind)" }
    }

    public let code: Code
    /// The failure, the offending value, the limit and the remedy, in one sentence.
    public let message: String

    public init(_ code: Code, _ message: String) {
        self.code = code
        self.message = message
    }

    public var description: String { "\(code): \(message)" }
}
