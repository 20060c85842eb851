internal import LibraryModels
internal import LibraryServiceInt
internal import Relux
internal import ReluxFeature

/// The login form. Others decide who the reader is: it delegates what was entered, and is told what came of it.
struct LoginFeature: Reducer {
    typealias Model = Library.Business.Model

    /// A form that its parent makes anew is another one: the former's running work ends.
    struct State: Equatable, Sendable, FeatureInstance {
        let instance = InstanceID()
        var name = ""
        var password: Secret<String> = ""
        /// From the sending of the form to the answer.
        var isBusy = false
        var failure: Model.Failure?
    }

    enum Action: Equatable, CasePathable {
        case binding(BindingAction<State>)
        case signInTapped
        case accepted(userId: String)
        case refused(reason: String)
        case loginResponse(Result<Model.LoginResponse, Model.Failure>)
        case delegate(Delegate)

        enum Delegate: Equatable {
            case credentialsEntered(name: String, password: Secret<String>)
            case loginCompleted(Model.LoginResponse)
            case loginFailed(Model.Failure)
        }

        struct Cases: Sendable {
            let binding = CasePath(Action.binding) { if case .binding(let change) = $0 { change } else { nil } }
            let loginResponse = CasePath(Action.loginResponse) { if case .loginResponse(let result) = $0 { result } else { nil } }
            let delegate = CasePath(Action.delegate) { if case .delegate(let delegate) = $0 { delegate } else { nil } }
        }
        static let cases = Cases()
    }

    private enum CancelID: Hashable { case session }

    let svc: any Library.Business.IService

    var body: some ReducerOf<Self> {
        BindingReducer(action: \.binding)
        Reduce { state, action in
            switch action {
            case .binding:
                state.failure = nil
                return .none

            case .signInTapped:
                state.isBusy = true
                state.failure = nil
                let password = state.password
                state.password = ""
                return .send(.delegate(.credentialsEntered(name: state.name, password: password)))

            case .accepted(let userId):
                return .run(name: "session of \(userId)") { [svc] send in
                    do throws(Model.Failure) {
                        let response = try await svc.openSession(userId: userId)
                        await send(.loginResponse(.success(response)))
                    } catch {
                        await send(.loginResponse(.failure(error)))
                    }
                }
                .cancellable(id: CancelID.session, cancelInFlight: true)

            case .refused(let reason):
                // It may be about a login that was made elsewhere.
                guard state.isBusy else { return .none }
                return fail(Model.Failure(code: .loginRefused, message: reason), &state)

            case .loginResponse(.success(let response)):
                (state.name, state.password, state.isBusy, state.failure) = ("", "", false, nil)
                return .send(.delegate(.loginCompleted(response)))

            case .loginResponse(.failure(let failure)):
                return fail(failure, &state)

            case .delegate:
                return .none
            }
        }
    }

    private func fail(_ failure: Model.Failure, _ state: inout State) -> Effect<Action> {
        state.isBusy = false
        state.failure = failure
        return .send(.delegate(.loginFailed(failure)))
    }
}
