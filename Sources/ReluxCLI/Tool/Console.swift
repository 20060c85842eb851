import Foundation
import Glibc
import ReluxControl
import ReluxOutput

/// The process's surroundings as a value, so that a test can be one: streams, environment, working directory.
struct Console: Sendable {
    /// Data, a line or more without the last line feed. Where it cannot be written the command ends.
    var out: @Sendable (String) -> Void
    /// Talk.
    var talk: @Sendable (String) -> Void
    /// All of the input.
    var readAll: @Sendable () throws(CLIError) -> [UInt8]
    /// One line of the input without its end; nil after the last. `hidden` keeps a terminal from showing it.
    var readLine: @Sendable (_ hidden: Bool) throws(CLIError) -> [UInt8]?
    var isTerminal: Bool
    var isInputTerminal: Bool
    /// Whether nobody reads what is written any more, for commands that only wait: they would never find out.
    var hasLostReader: @Sendable () -> Bool = { false }
    /// The conditions under which the process has started.
    var start = StartFacts()
    /// The conditions that are not as they should be.
    var startFindings: [StartFinding] { StartConditions.findings(start, needed: 0) }
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
        readAll: @escaping @Sendable () throws(CLIError) -> [UInt8] = { () throws(CLIError) in [] },
        readLine: @escaping @Sendable (Bool) throws(CLIError) -> [UInt8]? = { (_) throws(CLIError) in nil },
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

    /// The folder that this process's program lies in.
    static var ownDirectory: String { URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath().deletingLastPathComponent().path }

    /// The real one.
    static func process(_ output: ProgramOutput) -> Console {
        var console = Console(
            out: { output.data($0) }, talk: { output.talk($0) }, readAll: StandardInput.all, readLine: StandardInput.line,
            isTerminal: isatty(STDOUT_FILENO) == 1, isInputTerminal: isatty(STDIN_FILENO) == 1,
            environment: ProcessInfo.processInfo.environment,
            workingDirectory: FileManager.default.currentDirectoryPath,
            executableDirectory: ownDirectory)
        console.hasLostReader = { Descriptor.hasLostReader(STDOUT_FILENO) }
        console.become = { program, arguments in
            let words = ([program] + arguments).map { strdup($0) }
            defer { words.forEach { free($0) } }
            execv(program, words + [nil])
            return String(cString: strerror(errno))
        }
        return console
    }

    /// All of the input as a text.
    ///
    /// - Throws: `usage` naming the first byte that is not UTF-8: replaced, it would be another text than the one that was given.
    func text() throws(CLIError) -> String { try Self.text(readAll(), of: "standard input") }

    /// One line of the input as a text; nil after the last.
    func line(hidden: Bool = false) throws(CLIError) -> String? {
        guard let bytes = try readLine(hidden) else { return nil }
        return try Self.text(bytes, of: "the line on standard input")
    }

    private static func text(_ bytes: [UInt8], of what: String) throws(CLIError) -> String {
        guard let offset = UTF8Text.fault(in: bytes) else { return String(decoding: bytes, as: UTF8.self) }
        throw CLIError(
            .usage, "input.encoding", "\(what) is not UTF-8 text: byte \(offset) of \(bytes.count) cannot stand there",
            hint: "write it as UTF-8, for instance by iconv -t UTF-8")
    }
}
