import Glibc
import Relux
import ReluxSystem
import ReluxZeroMQ
import Synchronization

/// Brings journals to the disk on a thread of its own, one after the other, so that whoever needs no disk waits for none.
///
/// The thread begins with the first sync that is asked for and ends with ``stop()``.
final class SyncThread: Sendable {
    private struct State {
        var queue: [ModuleID] = []
        var thread: BlockingThread?
        var isStopped = false
    }
    private let state = Mutex(State())
    private let wakeUp: WakeUp?
    private let sync: @Sendable (ModuleID) -> Void

    /// - Parameter sync: called on the thread, for one module at a time.
    init(sync: @escaping @Sendable (ModuleID) -> Void) {
        self.sync = sync
        wakeUp = try? WakeUp()
    }

    /// Asks for a sync of each; none of them waits already.
    func start(_ modules: [ModuleID]) {
        guard !modules.isEmpty else { return }
        let isRunning = state.withLock { state in
            guard !state.isStopped else { return true }
            if state.thread == nil, wakeUp != nil { state.thread = try? BlockingThread(name: "relux-sync") { [unowned self] in run() } }
            if state.thread != nil { state.queue += modules }
            return state.thread != nil
        }
        guard isRunning else {
            // Without a thread the caller waits for the disk.
            return modules.forEach(sync)
        }
        wakeUp?.signal()
    }

    /// Returns when what is being synced is finished; nothing more is begun.
    func stop() {
        let thread = state.withLock { state in
            state.isStopped = true
            state.queue = []
            return state.thread
        }
        wakeUp?.signal()
        thread?.join()
    }

    private func run() {
        guard let wakeUp else { return }
        while true {
            let (module, isStopped) = state.withLock { state in
                (state.queue.isEmpty ? nil : state.queue.removeFirst(), state.isStopped)
            }
            if isStopped { return }
            if let module {
                sync(module)
                continue
            }
            var descriptor = pollfd(fd: wakeUp.fileDescriptor, events: Int16(POLLIN), revents: 0)
            _ = poll(&descriptor, 1, -1)
            _ = wakeUp.drain()
        }
    }
}
