import Relux
import Synchronization

/// Answers every effect with a bare success, and tells who waits when it has seen a number of distinct effects.
actor SinkFlow: Relux.Flow {
    private var seen: [Bool]
    private var distinct = 0
    private(set) var repeated = 0
    /// Effects that have come, for whoever must not ask an actor.
    nonisolated let handled = Atomic(0)
    private var whenAll: CheckedContinuation<Duration, Never>?
    private var endedAt: Duration?

    init(expecting count: Int) { seen = Array(repeating: false, count: count) }

    func apply(_ effect: any Relux.Effect) async -> Relux.ActionResult {
        guard let effect = effect as? Bench.Business.Effect else { return .success }
        handled.add(1, ordering: .relaxed)
        let index = Int(effect.number &- EffectMaker.origin)
        guard seen.indices.contains(index) else { return .success }
        if seen[index] {
            repeated += 1
        } else {
            seen[index] = true
            distinct += 1
            if distinct == seen.count {
                let now = Monotonic.now()
                endedAt = now
                whenAll?.resume(returning: now)
                whenAll = nil
            }
        }
        return .success
    }

    /// When the last of the expected effects came.
    func all() async -> Duration {
        if let endedAt { return endedAt }
        return await withCheckedContinuation { whenAll = $0 }
    }

    var received: Int { distinct }
}

/// The smallest state there is.
actor CountState: Relux.BusinessState {
    private var last: UInt64 = 0

    nonisolated var reduces: [any Relux.Action.Type]? { [Bench.Business.Action.self] }

    func reduce(with action: any Relux.Action) async {
        if case .counted(let number) = action as? Bench.Business.Action { last = number }
    }
}

struct BenchModule: Relux.Module {
    let moduleID: ModuleID
    var states: [any Relux.AnyState] = []
    var sagas: [any Relux.Saga] = []
}
