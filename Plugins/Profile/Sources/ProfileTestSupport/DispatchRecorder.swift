public import Relux
internal import Synchronization

/// Keeps what a node dispatched, in the order in which the dispatches ended.
public final class DispatchRecorder: Relux.Logger {
    private let entries = Mutex<[Relux.LogEntry]>([])

    public init() {}

    public func log(_ entry: Relux.LogEntry) {
        entries.withLock { $0.append(entry) }
    }

    /// As a log would print them: `Auth.Business.Effect.loggedOut`.
    public var descriptions: [String] { entries.withLock { $0.map(\.description) } }

    /// All that was dispatched of one type.
    public func all<A: Relux.Action>(_ type: A.Type) -> [A] {
        entries.withLock { $0.compactMap { $0.action as? A } }
    }
}
