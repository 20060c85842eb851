public import AuthModels
public import Relux

extension Auth.Business {
    /// Whether somebody is logged in, and who.
    @MainActor
    public protocol IState: Relux.HybridState, SnapshotProviding where Snapshot == Auth.Business.Snapshot {}

    public struct Snapshot: Relux.SharedSnapshot {
        public let isAuthenticated: Bool
        public let userId: String?
        public let name: String?
        /// Why the last attempt was refused; nil after a success.
        public let failure: Auth.Business.Model.Failure?

        public init(isAuthenticated: Bool, userId: String?, name: String?, failure: Auth.Business.Model.Failure?) {
            self.isAuthenticated = isAuthenticated
            self.userId = userId
            self.name = name
            self.failure = failure
        }
    }
}
