/// The status that the process ends with. The numbers are part of the interface.
enum ExitStatus: Int32, Sendable {
    case ok = 0
    case failed = 1
    case usage = 2
    case notFound = 3
    case unreachable = 4
    case timeout = 5
    /// Refused by the resolver, by a rule or by a contract of the cluster.
    case refused = 6
    /// An expectation or a difference was not met.
    case unmet = 7
    /// Effects were lost.
    case lost = 8
    /// Standard output could not be written.
    case unwritten = 74
    case interrupted = 130
    /// The reader of standard output has gone.
    case readerGone = 141
}

/// Why a command did not do what was asked.
struct CLIError: Error, Sendable, Hashable, CustomStringConvertible {
    let status: ExitStatus
    /// Stable and dotted, for programs: `cluster.unreachable`.
    let code: String
    /// The failure, with the offending value.
    let message: String
    /// The next thing to do; may be empty.
    let hint: String

    init(_ status: ExitStatus, _ code: String, _ message: String, hint: String = "") {
        self.status = status
        self.code = code
        self.message = message
        self.hint = hint
    }

    var description: String { hint.isEmpty ? message : "\(message); \(hint)" }
}
