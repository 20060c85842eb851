public import LibraryModels
public import LibraryServiceInt
internal import Synchronization

extension Library.Business {
    /// A service that keeps files in memory, or fails as a test has set, and records what it was asked.
    public final class ServiceMock: IService {
        public enum Call: Sendable, Equatable {
            case openSession(userId: String)
            case closeSession(userId: String)
            case list(userId: String)
            case add(Model.File, userId: String)
            case delete(id: String, userId: String)
            case read(id: String, from: Int, userId: String)
            case forget(userId: String)
        }

        private struct Contents {
            var calls: [Call] = []
            var files: [Model.File]
            var failure: Model.Failure?
            var isPrepared = false
        }

        private let contents: Mutex<Contents>
        private let beforeOpen: @Sendable () async -> Void
        private let beforeRead: @Sendable () async -> Void

        /// - Parameters:
        ///   - beforeOpen: awaited before a session is opened, so that a test can hold a login.
        ///   - beforeRead: awaited before each piece of a file, so that a test can hold what plays.
        public init(
            files: [Model.File] = [], failure: Model.Failure? = nil, beforeOpen: @escaping @Sendable () async -> Void = {},
            beforeRead: @escaping @Sendable () async -> Void = {}
        ) {
            contents = Mutex(Contents(files: files, failure: failure))
            self.beforeOpen = beforeOpen
            self.beforeRead = beforeRead
        }

        public var calls: [Call] { contents.withLock { $0.calls } }

        /// What every later call fails with; `nil` lets them succeed again.
        public func fail(_ failure: Model.Failure?) { contents.withLock { $0.failure = failure } }

        public var isPrepared: Bool { contents.withLock { $0.isPrepared } }

        /// Not recorded: it is no call of the flow's.
        public func prepare() async throws(Model.Failure) {
            let failure = contents.withLock { contents in
                contents.isPrepared = contents.failure == nil
                return contents.failure
            }
            if let failure { throw failure }
        }

        public func openSession(userId: String) async throws(Model.Failure) -> Model.LoginResponse {
            await beforeOpen()
            return try perform(.openSession(userId: userId)) { _ in Model.LoginResponse(userId: userId, expiresAt: .max) }.get()
        }

        public func closeSession(userId: String) async throws(Model.Failure) {
            try perform(.closeSession(userId: userId)) { _ in }.get()
        }

        public func list(userId: String) async throws(Model.Failure) -> [Model.File] {
            try perform(.list(userId: userId)) { $0.files }.get()
        }

        public func add(_ file: Model.File, contents: [UInt8], userId: String) async throws(Model.Failure) -> Model.File {
            let added = Model.File(fileId: file.fileId, title: file.title, byteCount: contents.count)
            return try perform(.add(file, userId: userId)) { mock in
                mock.files.removeAll { $0.id == added.id }
                mock.files.append(added)
                return added
            }.get()
        }

        public func delete(id: String, userId: String) async throws(Model.Failure) {
            try perform(.delete(id: id, userId: userId)) { $0.files.removeAll { $0.id == id } }.get()
        }

        public func read(id: String, from offset: Int, count: Int, userId: String) async throws(Model.Failure) -> [UInt8] {
            await beforeRead()
            let size = try perform(.read(id: id, from: offset, userId: userId)) { mock in
                mock.files.first { $0.id == id }?.byteCount
            }.get()
            guard let size else { throw .notFound(id) }
            return Array(repeating: 0, count: min(count, max(0, size - offset)))
        }

        public func forget(userId: String) async throws(Model.Failure) {
            try perform(.forget(userId: userId)) { $0.files = [] }.get()
        }

        private func perform<R>(_ call: Call, _ body: (inout Contents) -> R) -> Result<R, Model.Failure> {
            contents.withLock { contents in
                contents.calls.append(call)
                if let failure = contents.failure { return .failure(failure) }
                return .success(body(&contents))
            }
        }
    }
}
