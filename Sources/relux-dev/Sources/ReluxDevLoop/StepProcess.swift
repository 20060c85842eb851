import Foundation
import Glibc

/// A step's program: a process group of its own, whose output goes to a file.
///
/// A terminal's Ctrl-C does not reach it; who started it ends it, with all that it has started. That is known by a variable, for the package
/// manager gives each compiler a group of its own, and whose parent has ended has another one.
struct StepProcess: Sendable {
    let pid: pid_t
    /// The variable in its environment, and in that of all that it starts; no other process has it.
    let tag: String

    /// - Parameters:
    ///   - log: an absolute path; written anew.
    ///   - onEnd: called once, from a thread of its own, with the exit status, or 128 and the number of the signal.
    /// - Throws: `dev.start`.
    init(_ command: StepCommand, log: String, onEnd: @escaping @Sendable (Int32) -> Void) throws(DevLoopError) {
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0)
        posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, log, O_WRONLY | O_CREAT | O_TRUNC | O_APPEND, 0o644)
        posix_spawn_file_actions_adddup2(&actions, STDOUT_FILENO, STDERR_FILENO)

        // The children neither block nor ignore the signals that this program does.
        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        var (none, all) = (sigset_t(), sigset_t())
        sigemptyset(&none)
        sigfillset(&all)
        posix_spawnattr_setsigmask(&attributes, &none)
        posix_spawnattr_setsigdefault(&attributes, &all)
        posix_spawnattr_setpgroup(&attributes, 0)
        posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF))

        var words: [UnsafeMutablePointer<CChar>?] = command.words.map { strdup($0) } + [nil]
        tag = "RELUX_DEV_STEP=\(UUID().uuidString)"
        let variables = ProcessInfo.processInfo.environment.filter { $0.key != "RELUX_DEV_STEP" }.map { "\($0.key)=\($0.value)" } + [tag]
        var environment: [UnsafeMutablePointer<CChar>?] = variables.map { strdup($0) } + [nil]
        defer { for word in words + environment { free(word) } }
        var pid = pid_t()
        let code = posix_spawnp(&pid, command.words[0], &actions, &attributes, &words, &environment)
        guard code == 0 else {
            throw DevLoopError(
                "dev.start", "\(command.words[0]) cannot be started: \(String(cString: strerror(code)))", hint: "put it into PATH", status: 1)
        }
        self.pid = pid
        let child = pid
        Thread {
            var status: Int32 = 0
            while waitpid(child, &status, 0) == -1, errno == EINTR {}
            onEnd(status & 0x7f == 0 ? status >> 8 & 0xff : 128 + status & 0x7f)
        }.start()
    }

    /// Signals its group, and all that it has started, whatever group or parent that has now.
    func signal(_ number: Int32) {
        killpg(pid, number)
        for pid in TaggedProcesses.all(tag) { kill(pid, number) }
    }

    /// Kills the processes that it has left behind; then only dying ones are left. For use when its end was told.
    func killLeftovers() {
        // A killed process has no more children; those that it had before are found the next time.
        var killed: Set<pid_t> = []
        killpg(pid, SIGKILL)
        while true {
            let left = TaggedProcesses.all(tag).filter { killed.insert($0).inserted }
            if left.isEmpty { return }
            for pid in left { kill(pid, SIGKILL) }
        }
    }
}
