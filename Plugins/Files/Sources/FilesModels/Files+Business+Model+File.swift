extension Files.Business.Model {
    /// One file of one user, without its contents.
    public struct File: Sendable, Equatable, Codable, Identifiable {
        /// Bytes of a name, and of the contents, at most.
        public static let nameLength = 100
        public static let sizeLimit = 1 << 20

        public let name: String
        /// Bytes.
        public let size: Int

        public var id: String { name }

        public init(name: String, size: Int) {
            self.name = name
            self.size = size
        }

        /// Letters, digits, `.`, `_` and `-`, no dot first: a name never leads out of a directory.
        public static func isName(_ name: String) -> Bool {
            (1...nameLength).contains(name.utf8.count) && name.first != "."
                && name.utf8.allSatisfy {
                    (0x30...0x39).contains($0) || (0x41...0x5a).contains($0) || (0x61...0x7a).contains($0) || [0x2d, 0x2e, 0x5f].contains($0)
                }
        }
    }
}
