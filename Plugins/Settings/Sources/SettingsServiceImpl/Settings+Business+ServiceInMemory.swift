public import SettingsModels
public import SettingsServiceInt

extension Settings.Business {
    /// What `services: mock` means for Settings: they end with the process.
    public actor ServiceInMemory: IService {
        /// By user, byte for byte as in a database.
        private var settings: [[UInt8]: Model.Values] = [:]
        private var hasBeenOnboarded = false

        public init() {}

        /// There is nothing to migrate.
        public nonisolated var isPrepared: Bool { true }

        public nonisolated func prepare() {}

        public func isOnboarded() -> Bool { hasBeenOnboarded }

        public func noteOnboarded() { hasBeenOnboarded = true }

        public func values(userId: String) throws(Model.Failure) -> Model.Values {
            try Service.check(userId)
            return settings[Array(userId.utf8)] ?? Model.Key.defaults
        }

        public func set(_ key: Model.Key, to value: String, userId: String) throws(Model.Failure) -> Model.Values {
            try Service.check(userId)
            try Service.check(key, value)
            settings[Array(userId.utf8), default: Model.Key.defaults][key] = value
            return settings[Array(userId.utf8)] ?? Model.Key.defaults
        }

        public func resetToDefaults(userId: String) throws(Model.Failure) -> Model.Values {
            try Service.check(userId)
            settings[Array(userId.utf8)] = nil
            return Model.Key.defaults
        }
    }
}
