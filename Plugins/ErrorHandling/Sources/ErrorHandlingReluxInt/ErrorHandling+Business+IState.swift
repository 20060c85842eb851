public import ErrorHandlingModels
public import Relux

extension ErrorHandling.Business {
    /// The latest errors since the process started.
    @MainActor
    public protocol IState: Relux.HybridState, SnapshotProviding where Snapshot == ErrorHandling.Business.Snapshot {
        /// Oldest first.
        var entries: [Model.Entry] { get }
    }

    public struct Snapshot: Relux.SharedSnapshot {
        /// The latest errors, oldest first.
        public let entries: [ErrorHandling.Business.Model.Entry]
        /// All that were tracked since the process started.
        public let total: Int

        public init(entries: [ErrorHandling.Business.Model.Entry], total: Int) {
            self.entries = entries
            self.total = total
        }
    }
}
