public import LibraryModels
public import Relux

extension Library.Business {
    /// The library as its reader sees it. Consumers observe its snapshots through the relay.
    @MainActor
    public protocol IState: Relux.HybridState, SnapshotProviding where Snapshot == Library.Business.Snapshot {}

    public struct Snapshot: Relux.SharedSnapshot {
        /// Whom the library is open for; nil while it is closed.
        public let userId: String?
        public let files: [Model.File]
        /// The id of the file that plays.
        public let playing: String?
        /// How many bytes of it were played.
        public let position: Int
        /// Why the last operation was refused; nil after a success.
        public let failure: Model.Failure?

        public init(
            userId: String? = nil, files: [Model.File] = [], playing: String? = nil, position: Int = 0, failure: Model.Failure? = nil
        ) {
            self.userId = userId
            self.files = files
            self.playing = playing
            self.position = position
            self.failure = failure
        }
    }
}
