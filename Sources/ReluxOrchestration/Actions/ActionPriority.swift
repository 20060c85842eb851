/// The place of an action in one evaluation: lower raw values run first, equals in the order of their registration.
public enum ActionPriority: Int, Comparable, Sendable, Codable, CaseIterable {
    /// Blocks all use: forced update, maintenance, terms.
    case critical = 0
    /// Core setup: onboarding, permissions, migration.
    case high = 1
    /// Important, and can be skipped.
    case medium = 2
    /// Tips, promotions, announcements.
    case low = 3

    public static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }
}
