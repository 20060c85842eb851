public import ProfileModels
public import ProfileServiceInt
internal import Synchronization

extension Profile.Business {
    /// A service that keeps profiles in memory, or fails as a test has set, and records what it was asked.
    public final class ServiceMock: IService {
        public enum Call: Sendable, Equatable {
            case fetch(userId: String)
            case update(Model.UserProfile)
            case clear(userId: String)
            case delete(userId: String)
        }

        private struct Contents {
            var calls: [Call] = []
            var isPrepared = false
            var profiles: [String: Model.UserProfile] = [:]
            var failure: Model.Failure?
        }

        private let contents: Mutex<Contents>

        public init(profiles: [Model.UserProfile] = [], failure: Model.Failure? = nil) {
            let byUser = Dictionary(profiles.map { ($0.userId, $0) }, uniquingKeysWith: { $1 })
            self.contents = Mutex(Contents(profiles: byUser, failure: failure))
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

        public func fetch(userId: String) async throws(Model.Failure) -> Model.UserProfile {
            try perform(.fetch(userId: userId)) { $0[userId] ?? Model.UserProfile(userId: userId) }.get()
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
            }.get()
        }

        public func clear(userId: String) async throws(Model.Failure) -> Model.UserProfile {
            try perform(.clear(userId: userId)) { profiles in
                profiles[userId] = Model.UserProfile(userId: userId)
                return Model.UserProfile(userId: userId)
            }.get()
        }

        public func skip(to revision: Int) {}

        public func delete(userId: String) async throws(Model.Failure) {
            try perform(.delete(userId: userId)) { $0[userId] = nil }.get()
        }

        private func perform<R>(
            _ call: Call, _ body: (inout [String: Model.UserProfile]) -> R
        ) -> Result<R, Model.Failure> {
            contents.withLock { contents in
                contents.calls.append(call)
                if let failure = contents.failure { return .failure(failure) }
                return .success(body(&contents.profiles))
            }
        }
    }
}
