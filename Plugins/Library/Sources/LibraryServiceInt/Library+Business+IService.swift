public import LibraryModels

extension Library.Business {
    /// The shelves. A reader is served while their session lasts. Every call may be made from any task.
    public protocol IService: Sendable {
        /// Whether this process has migrated the stored data.
        var isPrepared: Bool { get async }

        /// Migrates the stored data; the first of any other calls does it too.
        ///
        /// - Throws: `storage`.
        func prepare() async throws(Model.Failure)

        /// Opens or prolongs the session of a reader.
        ///
        /// - Throws: `notAuthenticated` for an empty id, `storage`.
        func openSession(userId: String) async throws(Model.Failure) -> Model.LoginResponse

        /// Ends the session. A session that is not there is not an error: it has ended already.
        ///
        /// - Throws: `storage`.
        func closeSession(userId: String) async throws(Model.Failure)

        /// By title.
        ///
        /// - Throws: `sessionExpired`, `storage`.
        func list(userId: String) async throws(Model.Failure) -> [Model.File]

        /// Puts a file in, over one with the same id.
        ///
        /// - Returns: the file with the size of its contents.
        /// - Throws: `invalidFile`, `sessionExpired`, `storage`.
        func add(_ file: Model.File, contents: [UInt8], userId: String) async throws(Model.Failure) -> Model.File

        /// - Throws: `notFound`, `sessionExpired`, `storage`.
        func delete(id: String, userId: String) async throws(Model.Failure)

        /// At most `count` bytes of a file from an offset on; none at its end.
        ///
        /// - Throws: `notFound`, `sessionExpired`, `storage`.
        func read(id: String, from offset: Int, count: Int, userId: String) async throws(Model.Failure) -> [UInt8]

        /// Deletes the files of a reader and their session; needs none.
        ///
        /// - Throws: `storage`.
        func forget(userId: String) async throws(Model.Failure)
    }
}
