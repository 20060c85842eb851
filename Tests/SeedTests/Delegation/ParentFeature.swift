import ReluxFeature

struct ParentFeature: Reducer {
  struct State: Equatable {
    var child: ChildFeature.State = ChildFeature.State()
    // The seed writes it without declaring it.
    var selectedItem: Item?
    /// The child's taps that the parent has heard of.
    var completions: [Int] = []
  }

  enum Action: CasePathable {
    case child(ChildFeature.Action)
    // ... other actions
    // The seed sends it without declaring it.
    case logout

    struct Cases: Sendable {
      let child = CasePath(Action.child) { if case .child(let action) = $0 { action } else { nil } }
      let logout = CasePath<Action, Void>(.logout) { if case .logout = $0 { true } else { false } }
    }
    static let cases = Cases()
  }

  var body: some ReducerOf<Self> {
    Scope(state: \.child, action: \.child) {
      ChildFeature()
    }

    Reduce { state, action in
      switch action {
      // Handle specific delegate actions
      case .child(.delegate(.didComplete)):
        // Do something when child completes
        state.completions.append(state.child.taps)
        return .none

      case .child(.delegate(.authenticationRequired)):
        // Handle auth requirement
        return .send(.logout)

      case let .child(.delegate(.itemSelected(item))):
        // Handle item selection
        state.selectedItem = item
        return .none

      // Ignore other child actions
      case .child:
        return .none

      case .logout:
        return .none
      }
    }
  }
}
