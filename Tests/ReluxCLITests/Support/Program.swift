import Foundation
import Glibc
import ReluxTestKit
import Testing

/// A built program as a process whose standard output is chosen.
enum Program {
    enum Output: Sendable, CaseIterable {
        /// A device without room.
        case full
        /// A pipe whose reader has gone, with SIGPIPE as it is for everybody.
        case abandoned
        /// The same where SIGPIPE is ignored, as under service managers and CI runners.
        case abandonedUnnoticed
    }

    static let folder = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath().deletingLastPathComponent().path

    /// - Returns: the exit status as a shell tells it, and what was written to standard error.
    static func run(
        _ arguments: [String], _ output: Output, program name: String = "relux", input: [UInt8] = [], environment: [String: String] = [:]
    ) async throws -> (status: Int32, talk: String) {
        let scratch = TemporaryDirectory(isMade: true)
        let (talk, given) = (scratch.path + "/talk", scratch.path + "/input")
        try Data(input).write(to: URL(fileURLWithPath: given))
        let target: Int32
        switch output {
        case .full: target = open("/dev/full", O_WRONLY | O_CLOEXEC)
        case .abandoned, .abandonedUnnoticed:
            var ends: [Int32] = [0, 0]
            try #require(pipe(&ends) == 0)
            close(ends[0])
            _ = fcntl(ends[1], F_SETFD, FD_CLOEXEC)
            target = ends[1]
        }
        defer { close(target) }
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_addopen(&actions, 0, given, O_RDONLY, 0)
        posix_spawn_file_actions_adddup2(&actions, target, 1)
        posix_spawn_file_actions_addopen(&actions, 2, talk, O_WRONLY | O_CREAT, 0o600)
        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        var signals = sigset_t()
        sigemptyset(&signals)
        sigaddset(&signals, SIGPIPE)
        posix_spawnattr_setsigdefault(&attributes, &signals)
        posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGDEF))
        let script = (output == .abandonedUnnoticed ? "trap '' PIPE; " : "") + #"exec "$@""#
        let words = ["/bin/sh", "-c", script, "sh", "\(folder)/\(name)"] + arguments
        let inherited = ["PATH": "\(folder):/usr/local/bin:/usr/bin:/bin", "HOME": scratch.path, "NO_COLOR": "1"]
            .merging(ProcessInfo.processInfo.environment.filter { $0.key == "LD_LIBRARY_PATH" }) { $1 }.merging(environment) { $1 }
        var argv = words.map { strdup($0) } + [nil]
        var variables = inherited.map { strdup("\($0.key)=\($0.value)") } + [nil]
        defer { for word in argv + variables { free(word) } }
        var pid = pid_t()
        try #require(posix_spawn(&pid, "/bin/sh", &actions, &attributes, &argv, &variables) == 0)
        let child = pid
        let status: Int32 = await withCheckedContinuation { done in
            // It blocks.
            Thread {
                var status: Int32 = 0
                while waitpid(child, &status, 0) < 0, errno == EINTR {}
                done.resume(returning: status & 0x7f == 0 ? status >> 8 & 0xff : 128 + status & 0x7f)
            }.start()
        }
        return (status, try String(contentsOfFile: talk, encoding: .utf8))
    }
}
