extension Settings.Business.Model {
    /// What can be set. The raw values are stored and travel in effects.
    public enum Key: String, Sendable, Codable, CaseIterable, CodingKeyRepresentable {
        case theme
        case language
        case notifications
        case fontSize = "font-size"

        public var defaultValue: String {
            switch self {
            case .theme: "system"
            case .language: "en"
            case .notifications: "on"
            case .fontSize: "14"
            }
        }

        /// What the key takes, in words for the user.
        public var allowed: String {
            switch self {
            case .theme: "system, light or dark"
            case .language: "two lower-case letters, as en"
            case .notifications: "on or off"
            case .fontSize: "a number from 8 to 48"
            }
        }

        public func accepts(_ value: String) -> Bool {
            switch self {
            case .theme: ["system", "light", "dark"].contains(value)
            case .language: value.utf8.count == 2 && value.utf8.allSatisfy { (0x61...0x7a).contains($0) }
            case .notifications: ["on", "off"].contains(value)
            case .fontSize: Int(value).map { (8...48).contains($0) } ?? false
            }
        }
    }

    /// A value for every key.
    public typealias Values = [Key: String]
}

extension Settings.Business.Model.Key {
    /// The value of every key for a user who has set nothing.
    public static let defaults = Settings.Business.Model.Values(uniqueKeysWithValues: allCases.map { ($0, $0.defaultValue) })
}
