public import ProfileModels
public import ProfileServiceInt
public import ReluxTestKit

extension Profile.Business {
    /// A service that keeps profiles in memory, or fails as a test has set, and records what it was asked.
    public final class ServiceMock: IService, MockService {
        public enum Call: Sendable, Equatable {
            case fetch(userId: String)
            case update(Model.UserProfile)
            case clear(userId: String)
            case delete(userId: String)
        }

        public let mocked: Mocked<Call, [String: Model.UserProfile], Model.Failure>

        public init(profiles: [Model.UserProfile] = [], failure: Model.Failure? = nil) {
            mocked = Mocked(Dictionary(profiles.map { ($0.userId, $0) }, uniquingKeysWith: { $1 }), failure: failure)
        }

        public func fetch(userId: String) async throws(Model.Failure) -> Model.UserProfile {
            try perform(.fetch(userId: userId)) { $0[userId] ?? Model.UserProfile(userId: userId) }
        }

        public func update(_ profile: Model.UserProfile) async throws(Model.Failure) -> Model.UserProfile {
            try perform(.update(profile)) { profiles in
                let saved = Model.UserProfile(
                    userId: profile.userId,
                    displayName: profile.displayName,
                    about: profile.about,
                    revision: (profiles[profile.userId]?.revision ?? 0) + 1
                )
                profiles[profile.userId] = saved
                return saved
            }
        }

        public func clear(userId: String) async throws(Model.Failure) -> Model.UserProfile {
            try perform(.clear(userId: userId)) { profiles in
                profiles[userId] = Model.UserProfile(userId: userId)
                return Model.UserProfile(userId: userId)
            }
        }

        public func skip(to revision: Int) {}

        public func delete(userId: String) async throws(Model.Failure) {
            try perform(.delete(userId: userId)) { $0[userId] = nil }
        }
    }
}
