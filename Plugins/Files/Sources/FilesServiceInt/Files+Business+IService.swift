public import FilesModels

extension Files.Business {
    /// The stored files of each user. Every call may be made from any task; an empty user id is `notAuthenticated`.
    public protocol IService: Sendable {
        /// - Throws: `notAuthenticated`, `invalidName`, `tooLarge`, `storage`.
        func save(_ text: String, as name: String, userId: String) async throws(Model.Failure) -> Model.File

        /// - Throws: `notAuthenticated`, `invalidName`, `notFound`, `storage`.
        func read(_ name: String, userId: String) async throws(Model.Failure) -> String

        /// - Throws: `notAuthenticated`, `invalidName`, `notFound`, `storage`.
        func remove(_ name: String, userId: String) async throws(Model.Failure)

        /// By name.
        ///
        /// - Throws: `notAuthenticated`, `storage`.
        func list(userId: String) async throws(Model.Failure) -> [Model.File]

        /// - Throws: `notAuthenticated`, `storage`.
        func deleteAll(userId: String) async throws(Model.Failure)
    }
}
