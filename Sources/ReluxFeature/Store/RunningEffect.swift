/// An effect that runs, or an action of one that waits to be handled: where it belongs, and how it is told to end.
@MainActor
final class RunningEffect {
    struct ScopedID: Hashable {
        var path: [EffectPlace]
        var id: EffectID
    }

    let number: UInt64
    /// The children that it came through, from the root's on.
    var path: [EffectScope]
    let ids: Set<ScopedID>
    /// The action sent from outside that it goes back to.
    let root: UInt64
    private let makeName: () -> String
    var name: String { makeName() }
    /// nil for an action that waits.
    var task: Task<Void, Never>?
    private(set) var isCancelled = false
    var hasEnded = false

    /// - Parameter name: made when it is asked for.
    init(number: UInt64, path: [EffectScope], ids: Set<ScopedID>, root: UInt64, name: @autoclosure @escaping () -> String) {
        self.number = number
        self.path = path
        self.ids = ids
        self.root = root
        makeName = name
    }

    /// False when it was cancelled before.
    @discardableResult
    func cancel() -> Bool {
        guard !isCancelled else { return false }
        isCancelled = true
        task?.cancel()
        return true
    }
}
