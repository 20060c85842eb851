extension Profile.Business.Model {
    /// One user's profile. A user who never saved one has an empty one.
    public struct UserProfile: Sendable, Equatable, Codable {
        /// Unicode scalars that a field may have at most.
        public static let displayNameLength = 64
        public static let aboutLength = 1_000

        public let userId: String
        public var displayName: String
        public var about: String
        /// Counts the saves; 0 for a profile that was never saved.
        public let revision: Int

        public init(userId: String, displayName: String = "", about: String = "", revision: Int = 0) {
            self.userId = userId
            self.displayName = displayName
            self.about = about
            self.revision = revision
        }
    }
}
