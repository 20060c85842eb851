public import Relux
public import SettingsModels

extension Settings.Business {
    /// The active settings: those of a user, or the defaults.
    @MainActor
    public protocol IState: Relux.HybridState, SnapshotProviding where Snapshot == Settings.Business.Snapshot {}

    public struct Snapshot: Relux.SharedSnapshot {
        /// Whose settings are active; nil while the defaults are.
        public let userId: String?
        /// A value for every key.
        public let values: Settings.Business.Model.Values
        /// Why the last operation was refused; nil after a success.
        public let failure: Settings.Business.Model.Failure?

        public init(
            userId: String?, values: Settings.Business.Model.Values, failure: Settings.Business.Model.Failure?
        ) {
            self.userId = userId
            self.values = values
            self.failure = failure
        }

        public static let defaults = Self(userId: nil, values: Settings.Business.Model.Key.defaults, failure: nil)
    }
}
