public import FilesModels
public import FilesServiceInt

extension Files.Business {
    /// A disk that takes nothing, and says so.
    public struct BrokenServiceMock: IService {
        public init() {}

        public func save(_ text: String, as name: String, userId: String) async throws(Model.Failure) -> Model.File { throw failure }
        public func read(_ name: String, userId: String) async throws(Model.Failure) -> String { throw failure }
        public func remove(_ name: String, userId: String) async throws(Model.Failure) { throw failure }
        public func list(userId: String) async throws(Model.Failure) -> [Model.File] { throw failure }
        public func deleteAll(userId: String) async throws(Model.Failure) { throw failure }

        private var failure: Model.Failure { Model.Failure(code: .storage, message: "the test's disk is full") }
    }
}
