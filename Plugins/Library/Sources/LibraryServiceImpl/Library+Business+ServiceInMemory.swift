public import LibraryModels
public import LibraryServiceInt

extension Library.Business {
    /// What `services: mock` means for the Library: files and sessions end with the process, and no session before that by itself.
    public actor ServiceInMemory: IService {
        private struct Shelf {
            var isOpen = false
            /// By id, byte for byte as in a database.
            var files: [[UInt8]: (file: Model.File, contents: [UInt8])] = [:]
        }

        /// By user, byte for byte as in a database.
        private var shelves: [[UInt8]: Shelf] = [:]

        public init() {}

        /// There is nothing to migrate.
        public nonisolated var isPrepared: Bool { true }

        public nonisolated func prepare() {}

        public func openSession(userId: String) throws(Model.Failure) -> Model.LoginResponse {
            guard !userId.isEmpty else { throw .notAuthenticated }
            try Service.check("user id", userId)
            shelves[Array(userId.utf8), default: Shelf()].isOpen = true
            return Model.LoginResponse(userId: userId, expiresAt: .max)
        }

        public func closeSession(userId: String) { shelves[Array(userId.utf8)]?.isOpen = false }

        public func list(userId: String) throws(Model.Failure) -> [Model.File] {
            try shelf(of: userId).files.values.map(\.file).sorted { ($0.title.lowercased(), $0.id) < ($1.title.lowercased(), $1.id) }
        }

        public func add(_ file: Model.File, contents: [UInt8], userId: String) throws(Model.Failure) -> Model.File {
            try Service.check(file, contents)
            _ = try shelf(of: userId)
            let added = Model.File(fileId: file.fileId, title: file.title, byteCount: contents.count)
            shelves[Array(userId.utf8)]?.files[Array(added.fileId.utf8)] = (added, contents)
            return added
        }

        public func delete(id: String, userId: String) throws(Model.Failure) {
            _ = try shelf(of: userId)
            guard shelves[Array(userId.utf8)]?.files.removeValue(forKey: Array(id.utf8)) != nil else { throw .notFound(id) }
        }

        public func read(id: String, from offset: Int, count: Int, userId: String) throws(Model.Failure) -> [UInt8] {
            guard let found = try shelf(of: userId).files[Array(id.utf8)] else { throw .notFound(id) }
            return Array(found.contents.dropFirst(max(0, offset)).prefix(max(0, count)))
        }

        public func forget(userId: String) { shelves[Array(userId.utf8)] = nil }

        private func shelf(of userId: String) throws(Model.Failure) -> Shelf {
            guard let shelf = shelves[Array(userId.utf8)], shelf.isOpen else { throw .sessionExpired(userId) }
            return shelf
        }
    }
}
