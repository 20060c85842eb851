extension Auth.Business.Model {
    /// The owner of a valid session.
    public struct Account: Sendable, Equatable, Codable {
        public let userId: String
        public let name: String

        public init(userId: String, name: String) {
            self.userId = userId
            self.name = name
        }
    }
}
