import Relux
package import ReluxLedger

/// Runs and actions that may leave the endpoint, in order: frames of runs first.
package struct LetOut: Sendable {
    package var runs: [SaidRun] = []
    package var actions: [BusCore.Action] = []
    var waiters: [UnsafeContinuation<Void, Never>] = []

    init(runs: [SaidRun], actions: [BusCore.Action]) { (self.runs, self.actions) = (runs, actions) }

    /// Takes out the losses of transient effects: who waits for one goes on when the frames that leave here have left.
    mutating func takeLosses() -> [BusCore.Action] {
        guard actions.contains(where: \.isLoss) else { return [] }
        defer { actions.removeAll(where: \.isLoss) }
        return actions.filter(\.isLoss)
    }

    init(_ entries: [Withheld.Entry]) {
        for entry in entries {
            switch entry {
            case .run(let run): runs.append(run)
            case .action(let action): actions.append(action)
            case .waiter(let continuation, _): waiters.append(continuation)
            }
        }
    }
}

extension BusCore.Action {
    fileprivate var isLoss: Bool { if case .missed = self { true } else { false } }
}
