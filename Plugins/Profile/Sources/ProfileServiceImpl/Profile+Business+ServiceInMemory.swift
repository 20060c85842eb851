public import ProfileModels
public import ProfileServiceInt

extension Profile.Business {
    /// What `services: mock` means for Profile: profiles end with the process.
    public actor ServiceInMemory: IService {
        private var profiles: [String: Model.UserProfile] = [:]
        private var skipped: Int = 0

        public init() {}

        /// There is nothing to bring to this version.
        public nonisolated var isPrepared: Bool { true }

        public nonisolated func prepare() {}

        public func fetch(userId: String) throws(Model.Failure) -> Model.UserProfile {
            try Service.check(userId)
            return profiles[userId] ?? Model.UserProfile(userId: userId)
        }

        public func update(_ profile: Model.UserProfile) throws(Model.Failure) -> Model.UserProfile {
            try Service.check(profile)
            let saved = Model.UserProfile(
                userId: profile.userId, displayName: profile.displayName, about: profile.about,
                revision: next(profiles[profile.userId]))
            profiles[profile.userId] = saved
            return saved
        }

        public func clear(userId: String) throws(Model.Failure) -> Model.UserProfile {
            try Service.check(userId)
            guard let known = profiles[userId] else { return Model.UserProfile(userId: userId) }
            let cleared = Model.UserProfile(userId: userId, revision: next(known))
            profiles[userId] = cleared
            return cleared
        }

        public func delete(userId: String) throws(Model.Failure) {
            try Service.check(userId)
            skipped = max(skipped, profiles.removeValue(forKey: userId)?.revision ?? 0)
        }

        public func skip(to revision: Int) { skipped = max(skipped, revision) }

        private func next(_ profile: Model.UserProfile?) -> Int { max(profile?.revision ?? 0, skipped) + 1 }
    }
}
