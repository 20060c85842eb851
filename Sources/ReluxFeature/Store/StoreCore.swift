import Observation

/// The state that a store shows and the actions that it takes: all of a feature, or a part of it.
@MainActor
class StoreCore<State, Action: Sendable> {
    /// The value at that path, as the last turn has left it; observers are told when it changes.
    func value<Value>(at path: KeyPath<State, Value>) -> Value { fatalError("a store core reads its state") }
    func send(_ action: Action) -> StoreTask { fatalError("a store core takes actions") }
    func reset(to state: State) { fatalError("a store core can be reset") }
    /// Called with the state after each turn, nil for a child that has gone, until it returns false.
    func read(_ reader: @escaping @MainActor (State?) -> Bool) { fatalError("a store core has readers") }
}

/// The whole of a feature that runs.
final class WholeStore<State, Action: Sendable>: StoreCore<State, Action>, Observable {
    /// A part of the state that was read since it changed last.
    private struct Field {
        let isSame: (State, State) -> Bool
        let willSet: (WholeStore) -> Void
        let didSet: (WholeStore) -> Void
    }

    let runtime: FeatureRuntime<State, Action>
    private let registrar = ObservationRegistrar()
    private var published: State
    private var fields: [PartialKeyPath<State>: Field] = [:]
    private var readers: [@MainActor (State?) -> Bool] = []

    init(_ state: State, _ runtime: FeatureRuntime<State, Action>) {
        published = state
        self.runtime = runtime
        super.init()
        runtime.hooks.didDrain = { [weak self] in self?.publish() }
    }

    /// Names a part of the state for the registrar.
    private subscript<Value>(field path: KeyPath<State, Value>) -> Value { published[keyPath: path] }

    override func value<Value>(at path: KeyPath<State, Value>) -> Value {
        registrar.access(self, keyPath: \.[field: path])
        if fields[path] == nil {
            fields[path] = Field(
                isSame: { isSame($0[keyPath: path], $1[keyPath: path]) },
                willSet: { $0.registrar.willSet($0, keyPath: \.[field: path]) }, didSet: { $0.registrar.didSet($0, keyPath: \.[field: path]) })
        }
        return published[keyPath: path]
    }

    override func send(_ action: Action) -> StoreTask { runtime.send(action) }

    override func reset(to state: State) { runtime.reset(to: state) }

    override func read(_ reader: @escaping @MainActor (State?) -> Bool) { readers.append(reader) }

    private func publish() {
        let changed = fields.filter { !$0.value.isSame(published, runtime.state) }
        for path in changed.keys { fields[path] = nil }
        for field in changed.values { field.willSet(self) }
        // An observer that is told may send again: the state is read when it is set, so that an older one never comes after a newer one.
        published = runtime.state
        for field in changed.values { field.didSet(self) }
        // A reader may add another one.
        let before = readers
        readers = []
        readers = before.filter { $0(published) } + readers
    }
}

/// A child of a feature that runs.
final class PartStore<Parent, ParentAction: Sendable, State, Action: Sendable>: StoreCore<State, Action> {
    private let parent: StoreCore<Parent, ParentAction>
    private let path: KeyPath<Parent, State>
    private let embed: @Sendable (Action) -> ParentAction

    init(of parent: StoreCore<Parent, ParentAction>, _ path: KeyPath<Parent, State>, embed: @escaping @Sendable (Action) -> ParentAction) {
        self.parent = parent
        self.path = path
        self.embed = embed
    }

    override func value<Value>(at inner: KeyPath<State, Value>) -> Value { parent.value(at: path.appending(path: inner)) }

    override func send(_ action: Action) -> StoreTask { parent.send(embed(action)) }

    override func reset(to state: State) {
        FeatureIssue.report("the store of a part, \(path), was to be reset; send an action that resets it, or reset the whole")
    }

    override func read(_ reader: @escaping @MainActor (State?) -> Bool) { parent.read { [path] in reader($0?[keyPath: path]) } }
}

/// A child that may go; then its last state is shown.
final class OptionalPartStore<Parent, ParentAction: Sendable, State, Action: Sendable>: StoreCore<State, Action> {
    private let parent: StoreCore<Parent, ParentAction>
    private let path: KeyPath<Parent, State?>
    private let embed: @Sendable (Action) -> ParentAction
    private var last: State

    /// Nil when it is not there.
    init?(of parent: StoreCore<Parent, ParentAction>, _ path: KeyPath<Parent, State?>, embed: @escaping @Sendable (Action) -> ParentAction) {
        guard let state = parent.value(at: path) else { return nil }
        last = state
        self.parent = parent
        self.path = path
        self.embed = embed
        super.init()
        parent.read { [weak self, path] state in
            guard let self else { return false }
            if let present = state?[keyPath: path] { last = present }
            return true
        }
    }

    override func value<Value>(at inner: KeyPath<State, Value>) -> Value {
        if let value = parent.value(at: path.appending(path: \State?.[present: inner])) { return value }
        return last[keyPath: inner]
    }

    override func send(_ action: Action) -> StoreTask { parent.send(embed(action)) }

    override func reset(to state: State) {
        FeatureIssue.report("the store of a part, \(path), was to be reset; send an action that resets it, or reset the whole")
    }

    override func read(_ reader: @escaping @MainActor (State?) -> Bool) { parent.read { [path] in reader($0?[keyPath: path]) } }
}

extension Optional {
    /// A part of what is there.
    fileprivate subscript<Value>(present path: KeyPath<Wrapped, Value>) -> Value? { self?[keyPath: path] }
}

/// Whether a field has the same value as before. Values that cannot be compared count as changed.
private func isSame<Value>(_ old: Value, _ new: Value) -> Bool {
    guard let old = old as? any Equatable else { return false }
    return equals(old, new)
}

private func equals<Value: Equatable>(_ old: Value, _ new: Any) -> Bool { (new as? Value) == old }
