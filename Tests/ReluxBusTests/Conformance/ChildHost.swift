import BusProbeKit
import Glibc
import ReluxSystem
import Synchronization

/// A host in a process of its own, the leader of its own process group: a `relux-bus-probe`.
final class ChildHost: Obeying {
    private struct State {
        var last: UInt64 = 0
        /// nil once the process has ended.
        var waiting: [UInt64: CheckedContinuation<Reply, any Error>]? = [:]
    }
    let pid: pid_t
    private let link: ControlLink
    private let reader: BlockingThread
    private let state: WaitingReplies

    private final class WaitingReplies: Sendable {
        let state = Mutex(State())

        func answer(_ number: UInt64, _ reply: Reply) {
            state.withLock { $0.waiting?.removeValue(forKey: number) }?.resume(returning: reply)
        }

        func end() {
            let waiting = state.withLock { state in
                defer { state.waiting = nil }
                return state.waiting ?? [:]
            }
            for continuation in waiting.values { continuation.resume(throwing: Ended()) }
        }
    }

    init(
        _ name: String, endpoint: String, tapEndpoint: String, journals: String, onEvent: @escaping @Sendable (Event) -> Void
    ) throws {
        var ends: [Int32] = [-1, -1]
        let type = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue)
        guard socketpair(AF_UNIX, type, 0, &ends) == 0 else { throw Failed(what: "socketpair", code: errno) }
        defer { close(ends[1]) }
        do {
            pid = try Self.spawn([name, endpoint, tapEndpoint, journals], control: ends[1])
        } catch {
            close(ends[0])
            throw error
        }
        let link = ControlLink(descriptor: ends[0])
        let state = WaitingReplies()
        self.link = link
        self.state = state
        reader = try BlockingThread(name: "probe-replies") {
            while let message = link.receive(Message.self) {
                switch message {
                case .event(let event): onEvent(event)
                case .reply(let number, let reply): state.answer(number, reply)
                }
            }
            state.end()
        }
    }

    func perform(_ order: Order) async throws -> Reply {
        let (link, state) = (link, state)
        return try await withCheckedThrowingContinuation { continuation in
            let number: UInt64? = state.state.withLock { state in
                guard state.waiting != nil else { return nil }
                state.last += 1
                state.waiting?[state.last] = continuation
                return state.last
            }
            guard let number else { return continuation.resume(throwing: Ended()) }
            // When it cannot be sent, the reader finds the end and answers.
            try? link.send(Request(number: number, order: order))
        }
    }

    /// A process that is told to stop has stopped when this returns; its threads go on for a moment after the call.
    func signal(_ number: Int32) {
        kill(-pid, number)
        guard number == SIGSTOP else { return }
        var info = siginfo_t()
        while waitid(P_PID, id_t(pid), &info, WSTOPPED) == -1, errno == EINTR {}
    }

    /// Kills the process; it is gone when this returns. Called once.
    func end() {
        signal(SIGKILL)
        var status: Int32 = 0
        while waitpid(pid, &status, 0) == -1, errno == EINTR {}
        reader.join()
        link.close()
    }

    private static func spawn(_ arguments: [String], control: Int32) throws -> pid_t {
        var buffer = [CChar](repeating: 0, count: Int(PATH_MAX))
        let count = readlink("/proc/self/exe", &buffer, buffer.count - 1)
        guard count > 0 else { throw Failed(what: "readlink", code: errno) }
        let path = String(decoding: buffer[..<count].map(UInt8.init(bitPattern:)), as: UTF8.self)
        let executable = path[...path.lastIndex(of: "/")!] + "relux-bus-probe"

        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0)
        // The copy is inherited even when it has the number already, all other descriptors close by themselves.
        posix_spawn_file_actions_adddup2(&actions, control, ControlLink.descriptorOfProbe)
        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETPGROUP))
        posix_spawnattr_setpgroup(&attributes, 0)
        var words: [UnsafeMutablePointer<CChar>?] = ([String(executable)] + arguments).map { strdup($0) } + [nil]
        defer { for word in words { free(word) } }
        var pid = pid_t()
        let code = posix_spawn(&pid, String(executable), &actions, &attributes, &words, environ)
        guard code == 0 else { throw Failed(what: "posix_spawn of \(executable)", code: code) }
        return pid
    }

    struct Ended: Error, CustomStringConvertible {
        var description: String { "the probe's process has ended" }
    }
    struct Failed: Error, CustomStringConvertible {
        var what: String
        var code: Int32
        var description: String { "\(what): \(String(cString: strerror(code)))" }
    }
}
