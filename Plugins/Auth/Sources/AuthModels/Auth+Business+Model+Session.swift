extension Auth.Business.Model {
    /// A proof that somebody logged in. Not `Codable` on purpose: the token must not reach a bus, a journal or a log.
    public struct Session: Sendable, Equatable {
        public let userId: String
        /// The account's name in its stored, lower-case form.
        public let name: String
        /// 32 random bytes in lower-case hexadecimal. Only its hash is stored.
        public let token: String
        /// Seconds since 1970, when the token stops being accepted.
        public let expiresAt: Int64

        public init(userId: String, name: String, token: String, expiresAt: Int64) {
            self.userId = userId
            self.name = name
            self.token = token
            self.expiresAt = expiresAt
        }
    }
}

extension Auth.Business.Model.Session: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    public var description: String { "Session(userId: \(userId), token: •••)" }
    public var debugDescription: String { description }
    public var customMirror: Mirror { Mirror(self, children: ["userId": userId, "token": "•••"]) }
}
