public import ProfileModels

extension Profile.Business {
    /// The stored profiles. Every call may be made from any task; an empty user id is `notAuthenticated`.
    public protocol IService: Sendable {
        /// Whether this process has migrated the stored data.
        var isPrepared: Bool { get async }

        /// Migrates the stored data; the first of any other calls does it too.
        ///
        /// - Throws: `storage`.
        func prepare() async throws(Model.Failure)

        /// The user's profile, an empty one if none was saved.
        ///
        /// - Throws: `notAuthenticated`, `storage`.
        func fetch(userId: String) async throws(Model.Failure) -> Model.UserProfile

        /// Saves the fields and answers with the new revision; the revision passed in is ignored.
        ///
        /// - Throws: `notAuthenticated`, `invalidField`, `storage`.
        func update(_ profile: Model.UserProfile) async throws(Model.Failure) -> Model.UserProfile

        /// Empties the fields of a saved profile.
        ///
        /// - Throws: `notAuthenticated`, `storage`.
        func clear(userId: String) async throws(Model.Failure) -> Model.UserProfile

        /// Revisions up to this one were given out, whatever is stored: none of them is given out again.
        ///
        /// - Throws: `storage`.
        func skip(to revision: Int) async throws(Model.Failure)

        /// Removes all that is stored about the user. Nothing stored is no error.
        ///
        /// - Throws: `notAuthenticated`, `storage`.
        func delete(userId: String) async throws(Model.Failure)
    }
}
