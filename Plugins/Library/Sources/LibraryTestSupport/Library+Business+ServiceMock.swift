public import LibraryModels
public import LibraryServiceInt
public import ReluxTestKit

extension Library.Business {
    /// A service that keeps files in memory, or fails as a test has set, and records what it was asked.
    public final class ServiceMock: IService, MockService {
        public enum Call: Sendable, Equatable {
            case openSession(userId: String)
            case closeSession(userId: String)
            case list(userId: String)
            case add(Model.File, userId: String)
            case delete(id: String, userId: String)
            case read(id: String, from: Int, userId: String)
            case forget(userId: String)
        }

        public let mocked: Mocked<Call, [Model.File], Model.Failure>
        private let beforeOpen: @Sendable () async -> Void
        private let beforeRead: @Sendable () async -> Void

        /// - Parameters:
        ///   - beforeOpen: awaited before a session is opened, so that a test can hold a login.
        ///   - beforeRead: awaited before each piece of a file, so that a test can hold what plays.
        public init(
            files: [Model.File] = [], failure: Model.Failure? = nil, beforeOpen: @escaping @Sendable () async -> Void = {},
            beforeRead: @escaping @Sendable () async -> Void = {}
        ) {
            mocked = Mocked(files, failure: failure)
            self.beforeOpen = beforeOpen
            self.beforeRead = beforeRead
        }

        public func openSession(userId: String) async throws(Model.Failure) -> Model.LoginResponse {
            await beforeOpen()
            return try perform(.openSession(userId: userId)) { _ in Model.LoginResponse(userId: userId, expiresAt: .max) }
        }

        public func closeSession(userId: String) async throws(Model.Failure) {
            try perform(.closeSession(userId: userId)) { _ in }
        }

        public func list(userId: String) async throws(Model.Failure) -> [Model.File] {
            try perform(.list(userId: userId)) { $0 }
        }

        public func add(_ file: Model.File, contents: [UInt8], userId: String) async throws(Model.Failure) -> Model.File {
            let added = Model.File(fileId: file.fileId, title: file.title, byteCount: contents.count)
            return try perform(.add(file, userId: userId)) { files in
                files.removeAll { $0.id == added.id }
                files.append(added)
                return added
            }
        }

        public func delete(id: String, userId: String) async throws(Model.Failure) {
            try perform(.delete(id: id, userId: userId)) { $0.removeAll { $0.id == id } }
        }

        public func read(id: String, from offset: Int, count: Int, userId: String) async throws(Model.Failure) -> [UInt8] {
            await beforeRead()
            let size = try perform(.read(id: id, from: offset, userId: userId)) { $0.first { $0.id == id }?.byteCount }
            guard let size else { throw .notFound(id) }
            return Array(repeating: 0, count: min(count, max(0, size - offset)))
        }

        public func forget(userId: String) async throws(Model.Failure) {
            try perform(.forget(userId: userId)) { $0 = [] }
        }
    }
}
