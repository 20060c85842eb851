/// An effect that runs: where it belongs, and how it is told to end.
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
    let name: String
    var task: Task<Void, Never>?
    private(set) var isCancelled = false
    var hasEnded = false

    init(number: UInt64, path: [EffectScope], ids: Set<ScopedID>, root: UInt64, name: String) {
        self.number = number
        self.path = path
        self.ids = ids
        self.root = root
        self.name = name
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
