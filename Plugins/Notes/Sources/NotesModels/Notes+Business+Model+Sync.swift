extension Notes.Business.Model {
    /// The session's facts for a synchronisation. The caller bundles them, since Notes does not know Auth.
    public struct SyncContext: Sendable, Equatable, Codable {
        public let isAuthenticated: Bool
        public let userId: String?

        public init(isAuthenticated: Bool, userId: String?) {
            self.isAuthenticated = isAuthenticated
            self.userId = userId
        }
    }

    /// What a synchronisation did.
    public struct SyncReport: Sendable, Equatable, Codable {
        /// Notes, deleted ones included, that the replica took from here.
        public let pushed: Int
        /// Notes, deleted ones included, that were taken from the replica.
        public let pulled: Int

        public init(pushed: Int, pulled: Int) {
            self.pushed = pushed
            self.pulled = pulled
        }
    }
}
