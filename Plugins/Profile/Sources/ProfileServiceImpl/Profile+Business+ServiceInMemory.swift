public import ProfileModels
public import ProfileServiceInt

extension Profile.Business {
    /// What `services: mock` means for Profile: profiles end with the process.
    public actor ServiceInMemory: IService {
        /// By user, byte for byte as in a database.
        private var profiles: [[UInt8]: Model.UserProfile] = [:]
        private var skipped: Int = 0

        public init() {}

        /// There is nothing to migrate.
        public nonisolated var isPrepared: Bool { true }

        public nonisolated func prepare() {}

        public func fetch(userId: String) throws(Model.Failure) -> Model.UserProfile {
            try Service.check(userId)
            return profiles[Array(userId.utf8)] ?? Model.UserProfile(userId: userId)
        }

        public func update(_ profile: Model.UserProfile) throws(Model.Failure) -> Model.UserProfile {
            try Service.check(profile)
            let saved = Model.UserProfile(
                userId: profile.userId, displayName: profile.displayName, about: profile.about,
                revision: next(profiles[Array(profile.userId.utf8)]))
            profiles[Array(profile.userId.utf8)] = saved
            return saved
        }

        public func clear(userId: String) throws(Model.Failure) -> Model.UserProfile {
            try Service.check(userId)
            guard let known = profiles[Array(userId.utf8)] else { return Model.UserProfile(userId: userId) }
            let cleared = Model.UserProfile(userId: userId, revision: next(known))
            profiles[Array(userId.utf8)] = cleared
            return cleared
        }

        public func delete(userId: String) throws(Model.Failure) {
            try Service.check(userId)
            skipped = max(skipped, profiles.removeValue(forKey: Array(userId.utf8))?.revision ?? 0)
        }

        public func skip(to revision: Int) { skipped = max(skipped, revision) }

        private func next(_ profile: Model.UserProfile?) -> Int { max(profile?.revision ?? 0, skipped) + 1 }
    }
}
