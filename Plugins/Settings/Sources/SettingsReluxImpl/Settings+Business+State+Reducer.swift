internal import Relux
internal import SettingsModels
internal import SettingsReluxInt

extension Settings.Business.State {
    nonisolated var reduces: [any Relux.Action.Type]? { [Settings.Business.Action.self, Settings.Business.Effect.self] }

    func reduce(with action: any Relux.Action) async {
        switch action {
        case Settings.Business.Action.activated(let userId, let values):
            set(.init(userId: userId, values: values, failure: nil))
        case Settings.Business.Action.failed(let error):
            set(.init(userId: current.userId, values: current.values, failure: error))
        case Settings.Business.Effect.resetToDefaults:
            set(.defaults)
        default: break
        }
    }
}
