import Foundation
import Glibc
import ReluxTestKit

/// A process that a story has started.
///
/// Not Foundation's: that one takes a process for alive while anything that it started still runs, and `relux up` starts what stays.
final class Child: Sendable {
    let pid: Int32
    private let exit = Watched<Int32?>(nil)

    /// The files are the parent's; the child gets these three and no other.
    init(
        _ executable: String, _ arguments: [String], environment: [String: String], input: Int32, output: Int32, error: Int32
    ) throws {
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        for (target, source) in [(STDIN_FILENO, input), (STDOUT_FILENO, output), (STDERR_FILENO, error)] {
            posix_spawn_file_actions_adddup2(&actions, source, target)
        }
        // Descriptors that the harness has open are not for its children.
        for descriptor in Int32(3)..<256 { _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC) }
        var words: [UnsafeMutablePointer<CChar>?] = ([executable] + arguments).map { strdup($0) } + [nil]
        var variables: [UnsafeMutablePointer<CChar>?] = environment.map { strdup("\($0.key)=\($0.value)") } + [nil]
        defer { for pointer in words + variables { free(pointer) } }
        var pid = pid_t()
        let code = posix_spawn(&pid, executable, &actions, nil, &words, &variables)
        guard code == 0 else { throw HarnessError("\(executable) cannot be started: \(String(cString: strerror(code)))") }
        self.pid = pid
        let exit = exit
        let started = pid
        Thread {
            var status: Int32 = 0
            while waitpid(started, &status, 0) == -1, errno == EINTR {}
            exit.update { $0 = status & 0x7f == 0 ? status >> 8 & 0xff : 128 + status & 0x7f }
        }.start()
    }

    deinit { signal(SIGKILL) }

    /// nil while it runs.
    var status: Int32? { exit.value }

    /// Without effect on what has ended.
    func signal(_ number: Int32) {
        if exit.value == nil { kill(pid, number) }
    }

    /// Its exit status, or 128 and the signal's number.
    @discardableResult
    func ended(_ what: String, limit: Duration = watchdog) async throws -> Int32 {
        try await exit.wait(for: "the end of \(what)", limit: limit) { $0 != nil }
        return exit.value ?? -1
    }
}
