/// Why the registry file could not be read or written; the message has path, position and remedy.
package struct RegistryFileError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The kind of failure; its number is stable.
    package struct Code: Sendable, Hashable {
        private enum Kind: UInt16 {
            case unreadable = 1
            case unwritable = 2
            case damaged = 3
            case newer = 4
            case locked = 5
        }

        private let kind: Kind
        private init(_ kind: Kind) { self.kind = kind }

        /// The system refused to open or read it.
        package static let unreadable = Code(.unreadable)
        /// The system refused to write it or to make it durable; the former content still stands.
        package static let unwritable = Code(.unwritable)
        /// Its bytes are not what was written.
        package static let damaged = Code(.damaged)
        /// A newer release wrote it.
        package static let newer = Code(.newer)
        /// Another process has the right to write it.
        package static let locked = Code(.locked)

        package var number: UInt16 { kind.rawValue }
    }

    package let code: Code
    package let message: String
    /// The disk may take it later; see ``DiskRefusal``.
    package let mayPass: Bool

    init(_ code: Code, _ message: String, mayPass: Bool = false) {
        self.code = code
        self.message = message
        self.mayPass = mayPass
    }

    package var description: String { message }
}
