import Glibc
import ReluxControl

/// A process that goes on without us: session of its own, no terminal, output appended to a log.
struct DetachedProcess {
    let pid: Int32
    /// Why its output goes nowhere; nil when it has its log.
    let logTrouble: String?
    private var status: Int32?

    /// POSIX_SPAWN_SETSID, a GNU extension that the Glibc module does not show (source: `spawn.h`).
    private static let newSession = 0x80

    /// - Throws: `failed` naming the executable.
    init(
        executable: String, arguments: [String], environment: [String: String], log: String
    ) throws(CLIError) {
        var output = LogPlace.open(log)
        logTrouble = output < 0 ? LogPlace.trouble(log) : nil
        if output < 0 { output = LogPlace.openOrNowhere(log) }
        defer { close(output) }
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0)
        posix_spawn_file_actions_adddup2(&actions, output, STDOUT_FILENO)
        posix_spawn_file_actions_adddup2(&actions, output, STDERR_FILENO)
        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        var (none, all) = (sigset_t(), sigset_t())
        sigemptyset(&none)
        sigfillset(&all)
        posix_spawnattr_setsigmask(&attributes, &none)
        posix_spawnattr_setsigdefault(&attributes, &all)
        posix_spawnattr_setflags(
            &attributes, Int16(Self.newSession | Int(POSIX_SPAWN_SETSIGMASK) | Int(POSIX_SPAWN_SETSIGDEF)))
        var words: [UnsafeMutablePointer<CChar>?] = ([executable] + arguments).map { strdup($0) } + [nil]
        var variables: [UnsafeMutablePointer<CChar>?] =
            environment.map { strdup("\($0.key)=\($0.value)") } + [nil]
        defer { for pointer in words + variables { free(pointer) } }
        var pid = pid_t()
        let code = posix_spawn(&pid, executable, &actions, &attributes, &words, &variables)
        guard code == 0 else {
            throw CLIError(.failed, "process.start", "\(executable) cannot be started: \(String(cString: strerror(code)))")
        }
        self.pid = pid
    }

    /// The exit status once it has ended; nil while it runs.
    mutating func ended() -> Int32? {
        if let status { return status }
        var raw: Int32 = 0
        guard waitpid(pid, &raw, WNOHANG) == pid else { return nil }
        status = raw & 0x7f == 0 ? raw >> 8 & 0xff : 128 + raw & 0x7f
        return status
    }
}
