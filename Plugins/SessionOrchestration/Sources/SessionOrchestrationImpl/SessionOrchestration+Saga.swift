internal import AuthReluxInt
internal import LibraryReluxInt
internal import ProfileReluxInt
public import Relux
internal import SettingsReluxInt

extension SessionOrchestration {
    /// Answers what happens in one domain with effects for others.
    public actor Saga: Relux.Saga {
        public init() {}

        public func apply(_ effect: any Relux.Effect) async {
            await handleAuthEffect(effect)
            await handleProfileEffect(effect)
            await handleSettingsEffect(effect)
            await handleLibraryEffect(effect)
            await handleOwnEffect(effect)
        }
    }
}
