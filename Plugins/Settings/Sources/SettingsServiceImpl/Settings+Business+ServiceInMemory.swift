public import SettingsModels
public import SettingsServiceInt

extension Settings.Business {
    /// What `services: mock` means for Settings: they end with the process.
    public actor ServiceInMemory: IService {
        private var settings: [String: Model.Values] = [:]
        private var hasBeenOnboarded = false

        public init() {}

        /// There is nothing to bring to this version.
        public nonisolated var isPrepared: Bool { true }

        public nonisolated func prepare() {}

        public func isOnboarded() -> Bool { hasBeenOnboarded }

        public func noteOnboarded() { hasBeenOnboarded = true }

        public func values(userId: String) throws(Model.Failure) -> Model.Values {
            try Service.check(userId)
            return settings[userId] ?? Model.Key.defaults
        }

        public func set(_ key: Model.Key, to value: String, userId: String) throws(Model.Failure) -> Model.Values {
            try Service.check(userId)
            try Service.check(key, value)
            settings[userId, default: Model.Key.defaults][key] = value
            return settings[userId] ?? Model.Key.defaults
        }

        public func resetToDefaults(userId: String) throws(Model.Failure) -> Model.Values {
            try Service.check(userId)
            settings[userId] = nil
            return Model.Key.defaults
        }
    }
}
