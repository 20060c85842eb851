import Relux
import Synchronization

/// Keeps what a node's modules dispatched, in the order in which the dispatches ended.
final class DispatchRecorder: Relux.Logger {
    private let entries = Mutex<[Relux.LogEntry]>([])

    func log(_ entry: Relux.LogEntry) {
        entries.withLock { $0.append(entry) }
    }

    /// What a module dispatched, as a log would print it; sorted, for a concurrent batch ends in any order.
    func dispatched(by module: ModuleID) -> [String] {
        entries.withLock { $0.filter { $0.module == module }.map(\.description).sorted() }
    }
}
