internal import CReluxProcess
internal import Glibc
internal import Synchronization

/// The system gave no thread: there are too many, or there is no memory for its stack.
package struct BlockingThreadError: Error, Sendable, Equatable, CustomStringConvertible {
    /// The thread's name.
    package let name: String
    /// The errno value of `pthread_create`.
    package let code: Int32

    package init(name: String, code: Int32) { (self.name, self.code) = (name, code) }

    package var description: String {
        """
        thread \(name) could not be started: \(String(cString: strerror(code))); end other processes, or raise the limit of processes \
        (ulimit -u, pids.max of the control group) or of memory
        """
    }
}

/// A thread of its own for code that blocks in a system call, apart from Swift's cooperative pool.
///
/// It never takes SIGTERM, SIGINT or SIGHUP: they go to the main thread, which decides when to stop.
package final class BlockingThread: Sendable {
    package let name: String
    /// Nil once joined. Held while joining, so that a second caller waits for the first.
    private let thread: Mutex<pthread_t?>

    /// Starts `body` at once.
    ///
    /// - Parameter name: seen in `top -H` and debuggers, where its first 15 bytes are shown.
    /// - Throws: when the system gives no thread; the code is that of `pthread_create`, mostly `EAGAIN`.
    package init(name: String, _ body: sending @escaping () -> Void) throws(BlockingThreadError) {
        self.name = name
        let start = Unmanaged.passRetained(ThreadStart(name: name, body: body))
        var thread = pthread_t()
        // The thread inherits its mask, so it cannot be hit before it would have set its own.
        let code = Self.withSignalsBlocked {
            pthread_create(&thread, nil, { argument in
                guard let argument else { return nil }
                let start = Unmanaged<ThreadStart>.fromOpaque(argument).takeRetainedValue()
                start.run()
                return nil
            }, start.toOpaque())
        }
        guard code == 0 else {
            start.release()
            throw BlockingThreadError(name: name, code: code)
        }
        self.thread = Mutex(thread)
    }

    /// A thread that nobody joined goes on by itself.
    deinit {
        thread.withLock { thread in
            if let thread { pthread_detach(thread) }
        }
    }

    /// Returns when `body` has. Any other thread may call it, as often as it likes.
    package func join() {
        thread.withLock { thread in
            guard let running = thread else { return }
            let code = pthread_join(running, nil)
            precondition(code == 0, "a thread cannot wait for itself; join it from the thread that started it")
            thread = nil
        }
    }

    private static func withSignalsBlocked<R>(_ body: () -> R) -> R {
        var (blocked, former) = (sigset_t(), sigset_t())
        sigemptyset(&blocked)
        for signal in [SIGTERM, SIGINT, SIGHUP] { sigaddset(&blocked, signal) }
        pthread_sigmask(SIG_BLOCK, &blocked, &former)
        defer { pthread_sigmask(SIG_SETMASK, &former, nil) }
        return body()
    }
}

/// The name and the body of a new thread; handed over to that thread whole.
private final class ThreadStart {
    private let name: String
    private let body: () -> Void

    init(name: String, body: @escaping () -> Void) {
        self.name = name
        self.body = body
    }

    func run() {
        // The kernel would cut at 15 bytes, in the middle of a character if need be.
        var short = name
        while short.utf8.count > 15 { short.removeLast() }
        _ = relux_name_this_thread(short)
        body()
    }
}
