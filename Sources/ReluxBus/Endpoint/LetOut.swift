import Relux

/// Runs and actions that may leave the endpoint, in order: frames of runs first.
package struct LetOut: Sendable {
    package var runs: [SaidRun] = []
    package var actions: [BusCore.Action] = []
    var waiters: [UnsafeContinuation<Void, Never>] = []

    init(runs: [SaidRun], actions: [BusCore.Action]) { (self.runs, self.actions) = (runs, actions) }

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
