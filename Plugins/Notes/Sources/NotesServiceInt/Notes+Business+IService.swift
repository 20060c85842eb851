public import NotesModels

extension Notes.Business {
    /// The stored notes of each user. Every call may be made from any task; an empty user id is `notAuthenticated`.
    public protocol IService: Sendable {
        /// Whether this process has migrated the stored data.
        var isPrepared: Bool { get async }

        /// Migrates the stored data; the first of any other calls does it too.
        ///
        /// - Throws: `storage`.
        func prepare() async throws(Model.Failure)

        /// Whether anybody has a note here.
        ///
        /// - Throws: `storage`.
        func hasNotes() async throws(Model.Failure) -> Bool

        /// Saves a note, new or changed, and answers with its new revision; the revision passed in is ignored.
        ///
        /// - Throws: `notAuthenticated`, `invalidNote`, `storage`.
        func upsert(_ note: Model.Note, userId: String) async throws(Model.Failure) -> Model.Note

        /// Answers with the revision of the deletion.
        ///
        /// - Throws: `notAuthenticated`, `notFound`, `storage`.
        @discardableResult
        func delete(id: String, userId: String) async throws(Model.Failure) -> Int64

        /// Revisions up to this one were given out, whatever is stored: none of them is given out again.
        ///
        /// - Throws: `storage`.
        func skip(to revision: Int64) async throws(Model.Failure)

        /// Removes all notes of a user, from the replica too. Other devices keep theirs.
        ///
        /// - Throws: `notAuthenticated`, `storage`.
        func deleteAll(userId: String) async throws(Model.Failure)

        /// All notes, by title.
        ///
        /// - Throws: `notAuthenticated`, `storage`.
        func list(userId: String) async throws(Model.Failure) -> [Model.Note]

        /// The notes that contain every word of the query or a longer word that starts with it, best match first. A query
        /// without a word finds nothing.
        ///
        /// - Throws: `notAuthenticated`, `storage`.
        func search(_ query: String, userId: String) async throws(Model.Failure) -> [Model.Note]

        /// Exchanges changes with the replica, both ways. The higher revision of two changes to one note wins.
        ///
        /// - Throws: `notAuthenticated`, `storage`.
        func sync(_ context: Model.SyncContext) async throws(Model.Failure) -> Model.SyncReport
    }
}
