extension Auth.Business.Model {
    /// What names and passwords may look like.
    public enum Rules {
        public static let nameLength = 3...32
        public static let passwordCharacters = 8
        public static let passwordBytes = 1024

        /// The name as it is stored and compared: lower case.
        ///
        /// - Throws: `invalidName`, with the rule that it breaks.
        public static func normalised(name: String) throws(Failure) -> String {
            let normal = name.lowercased()
            guard nameLength.contains(normal.count) else {
                throw invalidName(
                    name, "it has \(normal.count) characters; use \(nameLength.lowerBound) to \(nameLength.upperBound)"
                )
            }
            guard let first = normal.unicodeScalars.first, ("a"..."z").contains(first) else {
                throw invalidName(name, "it must start with a letter from a to z")
            }
            if let wrong = normal.unicodeScalars.first(where: { !isAllowed($0) }) {
                throw invalidName(name, "it contains '\(wrong)'; use letters a to z, digits, '.', '_' and '-'")
            }
            return normal
        }

        /// - Throws: `invalidPassword`, with the rule that it breaks and never the password.
        public static func check(password: String) throws(Failure) {
            guard password.count >= passwordCharacters else {
                throw Failure(
                    code: .invalidPassword, message: "the password is too short; use at least \(passwordCharacters) characters"
                )
            }
            guard password.utf8.count <= passwordBytes else {
                throw Failure(
                    code: .invalidPassword, message: "the password is too long; use at most \(passwordBytes) bytes"
                )
            }
        }

        private static func isAllowed(_ scalar: Unicode.Scalar) -> Bool {
            switch scalar {
            case "a"..."z", "0"..."9", ".", "_", "-": true
            default: false
            }
        }

        private static func invalidName(_ name: String, _ reason: String) -> Failure {
            Failure(code: .invalidName, message: "'\(name.prefix(64))' cannot be a user name: \(reason)")
        }
    }
}
