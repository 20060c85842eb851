public import Relux
public import SettingsModels

extension Settings.Business {
    /// What can be asked of Settings, and what it tells others.
    public enum Effect: Relux.Effect {
        /// Makes a user's settings the active ones; answers with them.
        case loadSettings(userId: String)
        /// Changes a setting of the user whose settings are active; answers with all of them.
        case set(key: Settings.Business.Model.Key, value: String)
        /// Makes the defaults the active settings, for no user. What is stored stays.
        case resetToDefaults
        /// Forgets what a user has set.
        case forgetSettings(userId: String)
        /// Shows the page with the settings.
        case showSettings

        case settingsLoaded(userId: String, values: Settings.Business.Model.Values)
        case settingChanged(userId: String, key: Settings.Business.Model.Key, value: String)
        case settingsFailed(error: Settings.Business.Model.Failure)
    }
}
