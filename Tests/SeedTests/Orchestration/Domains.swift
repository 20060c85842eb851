// What seed 0 imports from AuthReluxInt, ProfileReluxInt and SettingsReluxInt, which it does not print.
import Relux

public enum Auth { public enum Business {} }
public enum Profile { public enum Business {} }
public enum Settings { public enum Business {} }

extension Auth.Business {
    public enum Effect: Relux.Effect, Equatable {
        case runLogoutFlow
        case authSucceeded(userId: String)
        case forceReauthentication
        case logout
    }
}

extension Profile.Business {
    public struct FetchError: Error, Codable, Equatable {
        public let isAuthError: Bool
    }
    public enum Effect: Relux.Effect, Equatable {
        case clearProfile
        case fetchProfile(userId: String)
        case profileFetchFailed(FetchError)
        case profileDeleted
    }
}

extension Settings.Business {
    public enum Effect: Relux.Effect, Equatable {
        case resetToDefaults
    }
}
