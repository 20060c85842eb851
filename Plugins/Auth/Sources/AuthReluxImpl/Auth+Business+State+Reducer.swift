internal import AuthModels
internal import AuthReluxInt
internal import Relux

extension Auth.Business.State {
    nonisolated var reduces: [any Relux.Action.Type]? { [Auth.Business.Action.self] }

    func reduce(with action: any Relux.Action) async {
        switch action as? Auth.Business.Action {
        case .sessionOpened(let userId, let name, let token):
            set(session: Session(userId: userId, name: name, token: token), failure: nil)
        case .sessionClosed: set(session: nil, failure: nil)
        case .failed(let error): set(session: session, failure: error)
        case nil: break
        }
    }
}
