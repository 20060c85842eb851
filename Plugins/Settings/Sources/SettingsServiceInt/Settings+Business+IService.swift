public import SettingsModels

extension Settings.Business {
    /// The stored settings of each user. Every call may be made from any task; an empty user id is `notAuthenticated`.
    public protocol IService: Sendable {
        /// Whether what is stored has been brought to this version in this process.
        var isPrepared: Bool { get async }

        /// Brings what is stored to this version; every other call does it too, if it is the first.
        ///
        /// - Throws: `storage`.
        func prepare() async throws(Model.Failure)

        /// Whether somebody has gone through the onboarding on this machine, whoever is logged in.
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
