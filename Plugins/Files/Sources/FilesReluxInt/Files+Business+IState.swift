public import FilesModels
public import Relux

extension Files.Business {
    /// The files that are open. Consumers observe snapshots through the relay.
    public protocol IState: Relux.HybridState, SnapshotProviding<Files.Business.Snapshot> {
        /// Whose files are open; nil while none are.
        var userId: String? { get }
    }

    public struct Snapshot: Relux.SharedSnapshot {
        public let userId: String?
        /// By name.
        public let files: [Files.Business.Model.File]
        /// Why the last operation was refused; nil after a success.
        public let failure: Files.Business.Model.Failure?

        public init(
            userId: String? = nil, files: [Files.Business.Model.File] = [], failure: Files.Business.Model.Failure? = nil
        ) {
            self.userId = userId
            self.files = files
            self.failure = failure
        }
    }
}
