internal import ProfileModels
internal import ProfileReluxInt
internal import Relux

extension Profile.Business.State {
    nonisolated var reduces: [any Relux.Action.Type]? { [Profile.Business.Action.self, Profile.Business.Effect.self] }

    func reduce(with action: any Relux.Action) async {
        switch action {
        case Profile.Business.Action.shown(let profile): set(profile: profile, failure: nil)
        case Profile.Business.Action.hidden, Profile.Business.Effect.clearProfile: set(profile: nil, failure: nil)
        case Profile.Business.Action.failed(let error): set(profile: current.profile, failure: error)
        default: break
        }
    }
}
