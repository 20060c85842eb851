import Foundation
import Glibc

/// The process's surroundings as a value, so that a test can be one: streams, environment, working directory.
struct Console: Sendable {
    /// Data, a line or more without the last line feed.
    var out: @Sendable (String) -> Void
    /// Talk.
    var talk: @Sendable (String) -> Void
    /// All of the input, as text.
    var readAll: @Sendable () -> String
    /// One line of the input; nil at its end. `hidden` keeps a terminal from showing it.
    var readLine: @Sendable (_ hidden: Bool) -> String?
    var isTerminal: Bool
    var isInputTerminal: Bool
    /// The width of help; nil for the terminal's own.
    var columns: Int?
    var environment: [String: String]
    var workingDirectory: String
    /// Where programs of ours are looked for.
    var executableDirectory: String
    /// Puts another program in this process's place; returns only with the reason why that is not possible.
    var become: @Sendable (_ program: String, _ arguments: [String]) -> String = { _, _ in "this console starts no program" }

    init(
        out: @escaping @Sendable (String) -> Void, talk: @escaping @Sendable (String) -> Void,
        readAll: @escaping @Sendable () -> String = { "" }, readLine: @escaping @Sendable (Bool) -> String? = { _ in nil },
        isTerminal: Bool = false, isInputTerminal: Bool = false, columns: Int? = nil,
        environment: [String: String] = [:],
        workingDirectory: String = "/", executableDirectory: String = "/"
    ) {
        self.out = out
        self.talk = talk
        self.readAll = readAll
        self.readLine = readLine
        self.isTerminal = isTerminal
        self.isInputTerminal = isInputTerminal
        self.columns = columns
        self.environment = environment
        self.workingDirectory = workingDirectory
        self.executableDirectory = executableDirectory
    }

    /// The real one.
    static func process() -> Console {
        var console = Console(
            out: { write($0, to: STDOUT_FILENO) }, talk: { write($0, to: STDERR_FILENO) },
            readAll: { String(decoding: FileHandle.standardInput.readDataToEndOfFile(), as: UTF8.self) },
            readLine: { hidden in hidden ? withoutEcho { Swift.readLine() } : Swift.readLine() },
            isTerminal: isatty(STDOUT_FILENO) == 1, isInputTerminal: isatty(STDIN_FILENO) == 1,
            environment: ProcessInfo.processInfo.environment,
            workingDirectory: FileManager.default.currentDirectoryPath,
            executableDirectory: URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
                .deletingLastPathComponent().path)
        console.become = { program, arguments in
            let words = ([program] + arguments).map { strdup($0) }
            defer { words.forEach { free($0) } }
            execv(program, words + [nil])
            return String(cString: strerror(errno))
        }
        return console
    }

    /// Unbuffered, so that a reader of the pipe sees each line at once. A closed pipe ends the process by SIGPIPE.
    private static func write(_ text: String, to descriptor: Int32) {
        let bytes = Array((text + "\n").utf8)
        var start = 0
        while start < bytes.count {
            let count = bytes[start...].withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
            if count < 0 {
                guard errno == EINTR else { return }
                continue
            }
            start += count
        }
    }

    private static func withoutEcho<R>(_ body: () -> R) -> R {
        var shown = termios()
        guard tcgetattr(STDIN_FILENO, &shown) == 0 else { return body() }
        var hidden = shown
        hidden.c_lflag &= ~tcflag_t(ECHO)
        tcsetattr(STDIN_FILENO, TCSAFLUSH, &hidden)
        defer { tcsetattr(STDIN_FILENO, TCSAFLUSH, &shown) }
        return body()
    }
}
