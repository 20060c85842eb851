import Synchronization
import Testing

/// Expectations that did not hold. They throw nothing, and what the logs say of them must be kept all the same.
enum FailedExpectations {
    private static let counted = Mutex(0)

    static var count: Int { counted.withLock { $0 } }

    /// Called with each issue of a story.
    static func note(_ issue: Issue) -> Issue {
        counted.withLock { $0 += 1 }
        return issue
    }
}
