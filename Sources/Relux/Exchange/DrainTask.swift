import Synchronization

extension Relux {
    /// The task of a drain, for whoever has to cancel the handler that it runs. Cancelled at any time, once for all.
    final class DrainTask: Sendable {
        private enum State {
            case starting
            case running(Task<Void, Never>)
            case cancelled
            case ended
        }
        private let state = Mutex(State.starting)

        /// Called once, by whoever has made the task; that may have ended by then.
        func started(_ task: Task<Void, Never>) {
            let isCancelled = state.withLock { state in
                switch state {
                case .starting: state = .running(task)
                case .cancelled: return true
                case .running, .ended: break
                }
                return false
            }
            if isCancelled { task.cancel() }
        }

        func ended() { state.withLock { $0 = .ended } }

        func cancel() {
            let task: Task<Void, Never>? = state.withLock { state in
                switch state {
                case .starting: state = .cancelled
                case .running(let task):
                    state = .cancelled
                    return task
                case .cancelled, .ended: break
                }
                return nil
            }
            task?.cancel()
        }
    }
}
