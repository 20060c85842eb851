extension Auth.Business.Model {
    /// Who a valid session belongs to.
    public struct Account: Sendable, Equatable, Codable {
        public let userId: String
        public let name: String

        public init(userId: String, name: String) {
            self.userId = userId
            self.name = name
        }
    }
}
