import Glibc
import Synchronization

/// The messages of other threads to the loop; each wakes a `poll`.
final class Inbox: Sendable {
    enum Message: Sendable, Hashable {
        case ended(status: Int32)
        case interrupted
    }

    /// Becomes readable when there is a message.
    let descriptor: Int32
    private let wake: Int32
    private let messages = Mutex<[Message]>([])

    /// - Throws: `dev.watch` when the system has no descriptor left.
    init() throws(DevLoopError) {
        var ends: [Int32] = [-1, -1]
        guard pipe(&ends) == 0 else { throw .system("dev.watch", "no pipe can be made", hint: "raise `ulimit -n`") }
        for end in ends {
            _ = fcntl(end, F_SETFD, FD_CLOEXEC)
            _ = fcntl(end, F_SETFL, O_NONBLOCK)
        }
        (descriptor, wake) = (ends[0], ends[1])
    }

    deinit {
        close(descriptor)
        close(wake)
    }

    func post(_ message: Message) {
        messages.withLock { $0.append(message) }
        // A pipe that is full wakes too.
        _ = write(wake, [1], 1)
    }

    /// All messages in their order.
    func take() -> [Message] {
        var bytes = [UInt8](repeating: 0, count: 64)
        while read(descriptor, &bytes, bytes.count) > 0 {}
        return messages.withLock { messages in
            defer { messages = [] }
            return messages
        }
    }
}
