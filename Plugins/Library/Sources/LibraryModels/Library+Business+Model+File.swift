extension Library.Business.Model {
    /// A file of one reader. Its contents are read piece by piece.
    public struct File: Sendable, Equatable, Codable, Identifiable {
        /// 1 to 64 bytes of UTF-8, the reader's choice.
        public let fileId: String
        /// At most 200 characters.
        public let title: String
        public let byteCount: Int

        public var id: String { fileId }

        public init(fileId: String, title: String, byteCount: Int = 0) {
            self.fileId = fileId
            self.title = title
            self.byteCount = byteCount
        }

        /// Bytes of an id, and Unicode scalars of a title, at most.
        public static let idLength = 64
        public static let titleLength = 200
        /// An effect carries them, and takes a mebibyte less 16 KiB.
        public static let contentsLength = 512 * 1024
    }

    /// What the library answers to a login.
    public struct LoginResponse: Sendable, Equatable, Codable {
        public let userId: String
        /// Seconds since 1970, when the library stops serving the reader.
        public let expiresAt: Int64

        public init(userId: String, expiresAt: Int64) {
            self.userId = userId
            self.expiresAt = expiresAt
        }
    }
}
