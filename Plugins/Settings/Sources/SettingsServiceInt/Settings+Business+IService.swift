public import SettingsModels

extension Settings.Business {
    /// The stored settings of each user. Every call may be made from any task; an empty user id is `notAuthenticated`.
    public protocol IService: Sendable {
        /// A value for every key: what the user has set, else the default.
        ///
        /// - Throws: `notAuthenticated`, `storage`.
        func values(userId: String) async throws(Model.Failure) -> Model.Values

        /// - Throws: `notAuthenticated`, `invalidValue`, `storage`.
        func set(_ key: Model.Key, to value: String, userId: String) async throws(Model.Failure) -> Model.Values

        /// Forgets what the user has set and answers with the defaults.
        ///
        /// - Throws: `notAuthenticated`, `storage`.
        func resetToDefaults(userId: String) async throws(Model.Failure) -> Model.Values
    }
}
