import Foundation
import ReluxFeature

// The delegation seed's text. Edits: no attributes; the conformance, and a struct of case paths; what research §0 names as broken.

struct Item: Equatable {
    var name: String
}

func isAuthError(_ error: Error) -> Bool { error is AuthError }
struct AuthError: Error {}

struct ChildFeature: Reducer {
  struct State: Equatable {
    /* ... */
    var taps = 0
  }

  enum Action: CasePathable {
    // Regular actions
    case buttonTapped
    case response(Result<Data, Error>)

    // Delegate actions for parent
    case delegate(Delegate)

    enum Delegate: Equatable {
      case didComplete
      case authenticationRequired
      case itemSelected(Item)
    }

    struct Cases: Sendable {
      let response = CasePath(Action.response) { if case .response(let result) = $0 { result } else { nil } }
      let delegate = CasePath(Action.delegate) { if case .delegate(let delegate) = $0 { delegate } else { nil } }
    }
    static let cases = Cases()
  }

  var body: some ReducerOf<Self> {
    Reduce { state, action in
      switch action {
      case .buttonTapped:
        // ... do work ...
        state.taps += 1
        return .send(.delegate(.didComplete))

      case let .response(.failure(error)):
        if isAuthError(error) {
          return .send(.delegate(.authenticationRequired))
        }
        return .none

      // The seed's switch forgets it.
      case .response(.success):
        return .none

      case .delegate:
        // Parent handles this - return .none
        return .none
      }
    }
  }
}
