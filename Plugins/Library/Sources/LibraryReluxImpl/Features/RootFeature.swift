internal import LibraryModels
internal import LibraryServiceInt
internal import Relux
internal import ReluxFeature

/// The whole library: the login form, and behind it what a reader sees. What it delegates is what other modules hear.
struct RootFeature: Reducer {
    typealias Model = Library.Business.Model

    struct State: Equatable, Sendable {
        var login = LoginFeature.State()
        var isAuthenticated = false
        /// There is none before the login.
        var main: MainFeature.State?
        /// Why the library has closed, or refused a request while closed.
        var failure: Model.Failure?
    }

    enum Action: Relux.Action, Equatable, CasePathable {
        case login(LoginFeature.Action)
        case main(MainFeature.Action)
        case logout
        /// Something was asked for that only a reader may ask for.
        case askedWhileClosed
        case delegate(Delegate)

        enum Delegate: Equatable {
            case loginRequested(name: String, password: Secret<String>)
            case opened(userId: String)
            case authenticationRequired(userId: String)
            case fileDeleted(Model.File)
            case filePlayed(Model.File)
            case failed(Model.Failure)
        }

        struct Cases: Sendable {
            let login = CasePath(Action.login) { if case .login(let action) = $0 { action } else { nil } }
            let main = CasePath(Action.main) { if case .main(let action) = $0 { action } else { nil } }
            let logout = CasePath<Action, Void>(.logout) { $0 == .logout }
            let delegate = CasePath(Action.delegate) { if case .delegate(let delegate) = $0 { delegate } else { nil } }
        }
        static let cases = Cases()
    }

    let svc: any Library.Business.IService

    var body: some ReducerOf<Self> {
        Scope(state: \.login, action: \.login) {
            LoginFeature(svc: svc)
        }

        Reduce { state, action in
            switch action {
            case .login(.delegate(.credentialsEntered(let name, let password))):
                return .send(.delegate(.loginRequested(name: name, password: password)))

            case .login(.delegate(.loginCompleted(let response))):
                state.isAuthenticated = true
                state.failure = nil
                // A session that was prolonged leaves what the reader does as it is.
                if state.main?.id != TextID(response.userId) { state.main = MainFeature.State(userId: response.userId) }
                return .merge(.send(.main(.appeared)), .send(.delegate(.opened(userId: response.userId))))

            case .login(.delegate(.loginFailed(let failure))):
                return .send(.delegate(.failed(failure)))

            case .main(.delegate(.authenticationRequired(let failure))):
                let userId = state.main?.id.text ?? ""
                state.failure = failure
                return .merge(.send(.logout), .send(.delegate(.authenticationRequired(userId: userId))))

            case .main(.delegate(.fileDeleted(let file))):
                return .send(.delegate(.fileDeleted(file)))

            case .main(.delegate(.filePlayed(let file))):
                return .send(.delegate(.filePlayed(file)))

            case .main(.delegate(.failed(let failure))):
                return .send(.delegate(.failed(failure)))

            case .logout:
                let userId = state.main?.id.text
                state.isAuthenticated = false
                state.login = LoginFeature.State()
                state.main = nil
                return userId.map(closeSession) ?? .none

            case .askedWhileClosed:
                state.failure = .notAuthenticated
                return .send(.delegate(.failed(.notAuthenticated)))

            case .login, .main, .delegate:
                return .none
            }
        }
        .ifLet(\.main, action: \.main) {
            MainFeature(svc: svc)
        }
    }

    /// A session that cannot be ended expires.
    private func closeSession(of userId: String) -> Effect<Action> {
        .run(name: "close the session of \(userId)") { [svc] _ in try? await svc.closeSession(userId: userId) }
    }
}
