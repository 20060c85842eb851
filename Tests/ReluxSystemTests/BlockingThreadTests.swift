import Glibc
import ReluxSystem
import Synchronization
import Testing

@Suite struct BlockingThreadTests {
    @Test func `join returns when the body has, also the second time`() throws {
        var ends: [Int32] = [0, 0]
        try #require(pipe(&ends) == 0)
        let (release, shared) = (ends, Shared())
        let thread = try BlockingThread(name: "body") {
            var byte: UInt8 = 0
            // Returns when the other end is closed.
            _ = read(release[0], &byte, 1)
            shared.finish()
        }
        #expect(!shared.isDone)
        close(release[1])
        thread.join()
        #expect(shared.isDone)
        thread.join()
        close(release[0])
    }

    @Test func `its name is seen from outside, cut at fifteen bytes`() throws {
        let shared = Shared()
        let thread = try BlockingThread(name: "relux-thread-größe") {
            let descriptor = open("/proc/thread-self/comm", O_RDONLY | O_CLOEXEC)
            var text = [UInt8](repeating: 0, count: 32)
            let count = read(descriptor, &text, text.count)
            close(descriptor)
            shared.text.withLock { $0 = String(decoding: text.prefix(max(0, count)), as: UTF8.self) }
        }
        thread.join()
        #expect(shared.text.withLock { $0 } == "relux-thread-gr\n")
    }

    @Test func `signals that end the process are left to the main thread`() throws {
        let shared = Shared()
        var before = sigset_t()
        pthread_sigmask(SIG_BLOCK, nil, &before)
        let thread = try BlockingThread(name: "signals") {
            var mask = sigset_t()
            pthread_sigmask(SIG_BLOCK, nil, &mask)
            let blocked = [SIGTERM, SIGINT, SIGHUP].map { sigismember(&mask, $0) }
            shared.text.withLock { $0 = "\(blocked)" }
        }
        thread.join()
        #expect(shared.text.withLock { $0 } == "[1, 1, 1]")
        var after = sigset_t()
        pthread_sigmask(SIG_BLOCK, nil, &after)
        #expect(sigismember(&after, SIGTERM) == sigismember(&before, SIGTERM))
    }

    @Test func `a thread that the system refuses is named, with the cause and what to do`() {
        let error = BlockingThreadError(name: "relux-in", code: EAGAIN)
        #expect("\(error)".contains("relux-in could not be started: Resource temporarily unavailable; end other processes"))
        #expect("\(error)".contains("ulimit -u"))
    }

    private final class Shared: Sendable {
        private let done = Atomic(false)
        let text = Mutex("")

        var isDone: Bool { done.load(ordering: .acquiring) }
        func finish() { done.store(true, ordering: .releasing) }
    }
}
