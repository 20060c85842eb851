/// An effect that runs, or an action of one that waits to be handled: where it belongs, and how it is told to end.
@MainActor
final class RunningEffect {
    /// An id, and the feature that has given it.
    struct ScopedID: Hashable {
        private let path: [EffectPlace]
        /// How many of the last places are those of a `Scope`: the ids of the feature that holds them are this feature's, too.
        private let shared: Int
        private let id: EffectID

        init(_ id: EffectID, at path: [EffectScope]) {
            self.path = path.map(\.place)
            shared = path.reversed().prefix { !$0.hasOwnIDs }.count
            self.id = id
        }

        /// Whether `other` is the same id of the same feature, of a child of it, or of a parent that shares its ids with it.
        func reaches(_ other: ScopedID) -> Bool {
            guard id == other.id else { return false }
            return other.path.starts(with: path) || path.starts(with: other.path) && path.count - other.path.count <= shared
        }
    }

    /// The context that it inherits from the effect that it is a part of.
    struct Context {
        /// The children that it came through, from the root's on.
        var path: [EffectScope] = []
        var ids: Set<ScopedID> = []
        /// The action sent from outside that it goes back to.
        var root: UInt64
        var sequence: RunningSequence?
    }

    let number: UInt64
    var context: Context
    private let makeName: () -> String
    var name: String { makeName() }
    /// Ends the work; nil for an action that waits.
    var stop: (() -> Void)?
    private(set) var isCancelled = false
    var hasEnded = false

    /// - Parameter name: made when it is asked for.
    init(number: UInt64, _ context: Context, name: @autoclosure @escaping () -> String) {
        self.number = number
        self.context = context
        makeName = name
    }

    /// False when it was cancelled before.
    @discardableResult
    func cancel() -> Bool {
        guard !isCancelled else { return false }
        isCancelled = true
        stop?()
        return true
    }
}

/// Effects of which each begins when the one before it has ended.
@MainActor
final class RunningSequence {
    /// Stands for what has not begun: it can be cancelled, and is waited for.
    let rest: RunningEffect
    /// Begins the next one; false when there is none.
    private let beginNext: @MainActor (RunningSequence) -> Bool
    /// How many parts of the present step run, besides its beginning.
    private var open = 0
    private var isOver = false

    init(rest: RunningEffect, beginNext: @escaping @MainActor (RunningSequence) -> Bool) {
        self.rest = rest
        self.beginNext = beginNext
    }

    func begin() { open += 1 }

    /// Ends a part; the last one of a step begins the next. False when the sequence has ended with it.
    func end() -> Bool {
        open -= 1
        while open == 0, !isOver {
            open = 1
            guard !rest.isCancelled, beginNext(self) else {
                isOver = true
                return false
            }
            open -= 1
        }
        return true
    }
}
