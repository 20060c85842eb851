public import SettingsModels
public import SettingsServiceInt
internal import Synchronization

extension Settings.Business {
    /// A service that keeps settings in memory, or fails as a test has set, and records what it was asked.
    public final class ServiceMock: IService {
        public enum Call: Sendable, Equatable {
            case values(userId: String)
            case set(Model.Key, to: String, userId: String)
            case resetToDefaults(userId: String)
        }

        private struct Contents {
            var calls: [Call] = []
            var isPrepared = false
            var isOnboarded = false
            var values: [String: Model.Values] = [:]
            var failure: Model.Failure?
        }

        private let contents: Mutex<Contents>

        public init(values: [String: Model.Values] = [:], failure: Model.Failure? = nil) {
            self.contents = Mutex(Contents(values: values, failure: failure))
        }

        public var calls: [Call] { contents.withLock { $0.calls } }

        /// What every later call fails with; `nil` lets them succeed again.
        public func fail(_ failure: Model.Failure?) {
            contents.withLock { $0.failure = failure }
        }

        public var isPrepared: Bool { contents.withLock { $0.isPrepared } }

        /// Not recorded: it is no call of the flow's.
        public func prepare() async throws(Model.Failure) {
            let failure = contents.withLock { contents in
                contents.isPrepared = contents.failure == nil
                return contents.failure
            }
            if let failure { throw failure }
        }

        public func isOnboarded() async throws(Model.Failure) -> Bool { contents.withLock { $0.isOnboarded } }

        public func noteOnboarded() async throws(Model.Failure) { contents.withLock { $0.isOnboarded = true } }

        public func values(userId: String) async throws(Model.Failure) -> Model.Values {
            try perform(.values(userId: userId)) { $0[userId] ?? Model.Key.defaults }.get()
        }

        public func set(_ key: Model.Key, to value: String, userId: String) async throws(Model.Failure) -> Model.Values {
            try perform(.set(key, to: value, userId: userId)) { values in
                values[userId, default: Model.Key.defaults][key] = value
                return values[userId] ?? Model.Key.defaults
            }.get()
        }

        public func resetToDefaults(userId: String) async throws(Model.Failure) -> Model.Values {
            try perform(.resetToDefaults(userId: userId)) { values in
                values[userId] = nil
                return Model.Key.defaults
            }.get()
        }

        private func perform(
            _ call: Call, _ body: (inout [String: Model.Values]) -> Model.Values
        ) -> Result<Model.Values, Model.Failure> {
            contents.withLock { contents in
                contents.calls.append(call)
                if let failure = contents.failure { return .failure(failure) }
                return .success(body(&contents.values))
            }
        }
    }
}
