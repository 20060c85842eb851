public import ReluxTestKit
public import SettingsModels
public import SettingsServiceInt

extension Settings.Business {
    /// A service that keeps settings in memory, or fails as a test has set, and records what it was asked.
    public final class ServiceMock: IService, MockService {
        public enum Call: Sendable, Equatable {
            case values(userId: String)
            case set(Model.Key, to: String, userId: String)
            case resetToDefaults(userId: String)
        }

        public struct Contents: Sendable {
            var isOnboarded = false
            var values: [String: Model.Values]
        }

        public let mocked: Mocked<Call, Contents, Model.Failure>

        public init(values: [String: Model.Values] = [:], failure: Model.Failure? = nil) {
            mocked = Mocked(Contents(values: values), failure: failure)
        }

        public func isOnboarded() async throws(Model.Failure) -> Bool { contents { $0.isOnboarded } }

        public func noteOnboarded() async throws(Model.Failure) { contents { $0.isOnboarded = true } }

        public func values(userId: String) async throws(Model.Failure) -> Model.Values {
            try perform(.values(userId: userId)) { $0.values[userId] ?? Model.Key.defaults }
        }

        public func set(_ key: Model.Key, to value: String, userId: String) async throws(Model.Failure) -> Model.Values {
            try perform(.set(key, to: value, userId: userId)) { contents in
                contents.values[userId, default: Model.Key.defaults][key] = value
                return contents.values[userId] ?? Model.Key.defaults
            }
        }

        public func resetToDefaults(userId: String) async throws(Model.Failure) -> Model.Values {
            try perform(.resetToDefaults(userId: userId)) { contents in
                contents.values[userId] = nil
                return Model.Key.defaults
            }
        }
    }
}
