public import AuthModels

extension Auth.Business {
    /// Accounts and their sessions. Every call may be made from any task.
    public protocol IService: Sendable {
        /// Whether this process has migrated the stored data.
        var isPrepared: Bool { get async }

        /// Migrates the stored data; the first of any other calls does it too.
        ///
        /// - Throws: `storage`.
        func prepare() async throws(Model.Failure)

        /// Makes an account and logs it in.
        ///
        /// - Throws: `invalidName`, `invalidPassword`, `nameTaken`, `storage`.
        func register(name: String, password: String) async throws(Model.Failure) -> Model.Session

        /// Opens a session. An unknown name and a wrong password take the same time and give the same error.
        ///
        /// - Throws: `invalidCredentials`, `storage`.
        func login(name: String, password: String) async throws(Model.Failure) -> Model.Session

        /// Ends a session. An unknown token is not an error: it has ended already.
        ///
        /// - Throws: `storage`.
        func logout(token: String) async throws(Model.Failure)

        /// The account whose session a token opens.
        ///
        /// - Throws: `invalidSession`, `storage`.
        func validate(token: String) async throws(Model.Failure) -> Model.Account

        /// Deletes the account of a session and every session of it.
        ///
        /// - Throws: `invalidSession`, `storage`.
        func deleteAccount(token: String) async throws(Model.Failure) -> Model.Account
    }
}
