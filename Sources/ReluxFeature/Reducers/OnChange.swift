internal import Relux

extension Reducer {
    /// Behind each reduction that has changed this part of the state, the reducers that the closure makes of the old value and the new one see the
    /// same action.
    public func onChange<Value: Equatable, R: Reducer>(
        of value: @escaping (State) -> Value, @ReducerBuilder<State, Action> _ reducer: @escaping (_ old: Value, _ new: Value) -> R
    ) -> some ReducerOf<Self> where R.State == State, R.Action == Action {
        Reduce { state, action in
            let old = value(state)
            let effect = reduce(into: &state, action: action)
            let new = value(state)
            return old == new ? effect : effect.merge(with: reducer(old, new).reduce(into: &state, action: action))
        }
    }

    /// Prints each action and what it has changed in the state to standard error: while one is looking for a fault, with all values.
    public func _printChanges() -> some ReducerOf<Self> {
        Reduce { state, action in
            let before = ValueLines.of(state)
            let effect = reduce(into: &state, action: action)
            let diff = LineDiff(from: before, to: ValueLines.of(state))
            let changes = diff.changes.isEmpty ? ["(no change)"] : diff.changes
            let text = ["received \(caseText(action)):"] + ValueLines.of(action).map { "  " + $0 } + changes.map { "  " + $0 }
            printToStandardError(text.joined(separator: "\n"))
            return effect
        }
    }
}
