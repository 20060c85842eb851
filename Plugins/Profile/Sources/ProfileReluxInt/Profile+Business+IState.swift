public import ProfileModels
public import Relux

extension Profile.Business {
    /// The profile that is shown.
    @MainActor
    public protocol IState: Relux.HybridState, SnapshotProviding where Snapshot == Profile.Business.Snapshot {}

    public struct Snapshot: Relux.SharedSnapshot {
        public let profile: Profile.Business.Model.UserProfile?
        /// Why the last operation was refused; nil after a success.
        public let failure: Profile.Business.Model.Failure?

        public init(profile: Profile.Business.Model.UserProfile?, failure: Profile.Business.Model.Failure?) {
            self.profile = profile
            self.failure = failure
        }
    }
}
