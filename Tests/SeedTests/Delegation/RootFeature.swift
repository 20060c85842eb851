import ReluxFeature

// LoginFeature → RootFeature

/// There is no such type on Linux.
struct ASAuthorization: Sendable {}

struct LoginResponse: Sendable {
  var token: String
}

struct LoginFeature: Reducer {
  struct State: Equatable {}

  enum Action: CasePathable {
    case signInWithAppleCompleted(Result<ASAuthorization, Error>)
    case loginResponse(Result<LoginResponse, Error>)
    case delegate(Delegate)

    enum Delegate: Equatable {
      case loginCompleted
      case registrationCompleted
    }

    struct Cases: Sendable {
      let delegate = CasePath(Action.delegate) { if case .delegate(let delegate) = $0 { delegate } else { nil } }
    }
    static let cases = Cases()
  }

  var body: some ReducerOf<Self> {
    Reduce { state, action in
      switch action {
      case .loginResponse(.success):
        // Store token, etc.
        return .send(.delegate(.loginCompleted))

      case .loginResponse(.failure), .signInWithAppleCompleted, .delegate:
        return .none
      }
    }
  }
}

struct RootFeature: Reducer {
  struct State: Equatable {
    var login = LoginFeature.State()
    var isAuthenticated = false
    var main: MainFeature.State?
  }

  enum Action: CasePathable {
    case login(LoginFeature.Action)
    case main(MainFeature.Action)
    case logout

    struct Cases: Sendable {
      let login = CasePath(Action.login) { if case .login(let action) = $0 { action } else { nil } }
      let main = CasePath(Action.main) { if case .main(let action) = $0 { action } else { nil } }
      let logout = CasePath<Action, Void>(.logout) { if case .logout = $0 { true } else { false } }
    }
    static let cases = Cases()
  }

  var body: some ReducerOf<Self> {
    Scope(state: \.login, action: \.login) {
      LoginFeature()
    }

    Reduce { state, action in
      switch action {
      // RootFeature handles it
      case .login(.delegate(.loginCompleted)):
        state.isAuthenticated = true
        state.main = MainFeature.State()
        return .none

      case .main(.delegate(.authenticationRequired)):
        return .send(.logout)

      case .logout:
        state.isAuthenticated = false
        state.main = nil
        return .none

      case .login, .main:
        return .none
      }
    }
    // Research §0: the main feature is there only after a login.
    .ifLet(\.main, action: \.main) {
      MainFeature()
    }
  }
}

// Forwarding Pattern: GrandchildFeature → ChildFeature → ParentFeature. The seed's grandchild says `authRequired`.

struct GrandchildFeature: Reducer {
  struct State: Equatable {}
  enum Action: CasePathable {
    case delegate(Delegate)
    enum Delegate: Equatable {
      case authRequired
    }

    struct Cases: Sendable {
      let delegate = CasePath(Action.delegate) { if case .delegate(let delegate) = $0 { delegate } else { nil } }
    }
    static let cases = Cases()
  }

  var body: some ReducerOf<Self> {
    EmptyReducer()
  }
}

struct ForwardingFeature: Reducer {
  struct State: Equatable {
    var grandchild = GrandchildFeature.State()
  }
  enum Action: CasePathable {
    case grandchild(GrandchildFeature.Action)
    case delegate(Delegate)
    enum Delegate: Equatable {
      case authenticationRequired
    }

    struct Cases: Sendable {
      let grandchild = CasePath(Action.grandchild) { if case .grandchild(let action) = $0 { action } else { nil } }
      let delegate = CasePath(Action.delegate) { if case .delegate(let delegate) = $0 { delegate } else { nil } }
    }
    static let cases = Cases()
  }

  var body: some ReducerOf<Self> {
    Scope(state: \.grandchild, action: \.grandchild) {
      GrandchildFeature()
    }

    Reduce { state, action in
      switch action {
      // ChildFeature forwards the delegate
      case .grandchild(.delegate(.authRequired)):
        return .send(.delegate(.authenticationRequired))

      case .delegate:
        return .none
      }
    }
  }
}
