import Synchronization

extension Relux {
    /// The task of a drain: for whoever has to cancel the handler that it runs, and for what has to be known of that handler without the
    /// exchange's lock. Cancelled at any time, once for all.
    final class DrainTask: Sendable {
        private enum State {
            case starting
            case running(Task<Void, Never>)
            case cancelled
            case ended
        }
        private let state = Mutex(State.starting)
        /// When the handler that it runs began, in nanoseconds on the pacer's clock; the least number before that. A drain runs one handler at a time.
        private let begun = Atomic(Int64.min)

        /// When the running handler's states had reduced and its sagas began; nil before.
        var begunAt: Duration? {
            let begun = begun.load(ordering: .relaxed)
            return begun == .min ? nil : .nanoseconds(begun)
        }

        /// The drain goes on with another handler.
        func starts() { begun.store(.min, ordering: .relaxed) }

        /// The running handler's sagas are about to start; see ``Relux/Party``.
        func begins(_ nanoseconds: Int64) { begun.store(nanoseconds, ordering: .relaxed) }

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
