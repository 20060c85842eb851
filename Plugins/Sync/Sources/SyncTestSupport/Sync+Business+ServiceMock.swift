internal import Synchronization
public import SyncModels
public import SyncServiceInt

extension Sync.Business {
    /// A remote place that records what it was sent, or fails as a test has set.
    public final class ServiceMock: IService {
        private let contents = Mutex<(sent: [Model.Item], failure: Model.Failure?)>(([], nil))

        public init() {}

        public var sent: [Model.Item] { contents.withLock { $0.sent } }

        /// What every later call fails with; `nil` lets them succeed again.
        public func fail(_ failure: Model.Failure?) { contents.withLock { $0.failure = failure } }

        public func send(_ items: [Model.Item], userId: String) async throws(Model.Failure) {
            if let failure = contents.withLock({ $0.failure }) { throw failure }
            contents.withLock { $0.sent += items }
        }

        public func deleteAll(userId: String) async throws(Model.Failure) {
            contents.withLock { $0.sent = [] }
        }
    }
}
