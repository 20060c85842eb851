import Glibc
import ReluxZeroMQ
import Synchronization
import Testing

@Suite struct SocketThreadTests {
    @Test func `join returns when the body has, also the second time`() throws {
        let release = try WakeUp()
        let shared = Shared()
        let thread = try SocketThread(name: "body") {
            var poller = Poller()
            poller.add(fileDescriptor: release.fileDescriptor)
            _ = try? poller.wait(milliseconds: 20_000)
            shared.finish()
        }
        #expect(!shared.isDone)
        release.signal()
        thread.join()
        #expect(shared.isDone)
        thread.join()
    }

    @Test func `its name is seen from outside, cut at fifteen bytes`() throws {
        let shared = Shared()
        let thread = try SocketThread(name: "relux-socket-größe") {
            let descriptor = open("/proc/thread-self/comm", O_RDONLY | O_CLOEXEC)
            var text = [UInt8](repeating: 0, count: 32)
            let count = read(descriptor, &text, text.count)
            close(descriptor)
            shared.text.withLock { $0 = String(decoding: text.prefix(max(0, count)), as: UTF8.self) }
        }
        thread.join()
        #expect(shared.text.withLock { $0 } == "relux-socket-gr\n")
    }

    @Test func `signals that end the process are left to the main thread`() throws {
        let shared = Shared()
        var before = sigset_t()
        pthread_sigmask(SIG_BLOCK, nil, &before)
        let thread = try SocketThread(name: "signals") {
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

    @Test func `a socket can be handed to the thread whole`() throws {
        let context = try ZeroMQContext()
        let inside = try ZeroMQSocket(.pair, in: context)
        try inside.bind("inproc://inside")
        let thread = try SocketThread(name: "owner") {
            _ = try? inside.send(bytes("from the thread"), wait: true)
        }
        let outside = try ZeroMQSocket(.pair, in: context)
        try outside.connect("inproc://inside")
        #expect(try next(outside) == [bytes("from the thread")])
        thread.join()
    }

    private final class Shared: Sendable {
        private let done = Atomic(false)
        let text = Mutex("")

        var isDone: Bool { done.load(ordering: .acquiring) }
        func finish() { done.store(true, ordering: .releasing) }
    }
}
