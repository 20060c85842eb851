public import SettingsModels

extension Settings.Business {
    /// The stored settings of each user. Every call may be made from any task; an empty user id is `notAuthenticated`.
    public protocol IService: Sendable {
        /// Whether this process has migrated the stored data.
        var isPrepared: Bool { get async }

        /// Migrates the stored data; the first of any other calls does it too.
        ///
        /// - Throws: `storage`.
        func prepare() async throws(Model.Failure)

        /// Whether any user has gone through the onboarding on this machine.
        ///
        /// - Throws: `storage`.
        func isOnboarded() async throws(Model.Failure) -> Bool

        /// - Throws: `storage`.
        func noteOnboarded() async throws(Model.Failure)

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
