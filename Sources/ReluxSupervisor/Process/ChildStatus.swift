import Glibc
import ReluxControl

/// How a process ended, as words for people: `exit 64`, `signal 4 (SIGILL)`.
package enum ChildStatus: Sendable, Hashable, CustomStringConvertible {
    case exited(Int32)
    case signalled(Int32)
    /// It never ran; the reason in words.
    case notStarted(String)

    package var description: String {
        switch self {
        case .exited(ProcessExit.journalBroken): "exit \(ProcessExit.journalBroken), its journal takes nothing any more"
        case .exited(ProcessExit.filesTaken): "exit \(ProcessExit.filesTaken), files of its modules were taken away"
        case .exited(let code): "exit \(code)"
        case .signalled(let signal): Self.name(ofSignal: signal).map { "signal \(signal) (\($0))" } ?? "signal \(signal)"
        case .notStarted(let why): "not started: \(why)"
        }
    }

    /// Status 0: the process had nothing more to do.
    package var isClean: Bool { self == .exited(0) }

    /// It ended because there was nothing to do, because all that it should run was refused (78) or because another
    /// process has its name (75); no crash.
    package var isOwnDecision: Bool { isClean || self == .exited(78) || self == .exited(Self.turnedAway) }

    /// No handler has ended the process: it did so itself, with a word why, or never ran.
    package var isNobodysFault: Bool {
        switch self {
        case .exited(ProcessExit.journalBroken), .exited(ProcessExit.filesTaken), .notStarted: true
        default: isOwnDecision
        }
    }

    /// Another process had its name: nothing is wrong with this one, and no number of such ends says that there is.
    package var isTurnedAway: Bool { self == .exited(Self.turnedAway) }

    /// Its reason will be true again after a restart: a configuration that cannot work (sysexits 64 to 78). What the system refused or a disk
    /// could not do (70, 71, 74) may be otherwise then. A journal that takes nothing any
    /// more is not of these: a disk that has failed a sync may do the next one, and the next life recovers and writes again what that one did
    /// not. If it fails again and again, the intensity ends it.
    package var forbidsRestart: Bool {
        switch self {
        case .exited(let code): (64...78).contains(code) && !Self.passing.contains(code)
        default: false
        }
    }

    /// The status of a host that was not let in because the broker knew another process of its name; that one may be gone the next time.
    private static let turnedAway: Int32 = 75

    /// The status of a host that ended because its lifeline did.
    private static let supervisorGone: Int32 = 69

    /// The sysexits that say nothing of the next start.
    private static let passing = [supervisorGone, turnedAway, EX_SOFTWARE, EX_OSERR, EX_IOERR]

    package var signal: Int32? {
        if case .signalled(let signal) = self { signal } else { nil }
    }

    package static func name(ofSignal signal: Int32) -> String? {
        switch signal {
        case SIGHUP: "SIGHUP"
        case SIGINT: "SIGINT"
        case SIGQUIT: "SIGQUIT"
        case SIGILL: "SIGILL"
        case SIGTRAP: "SIGTRAP"
        case SIGABRT: "SIGABRT"
        case SIGBUS: "SIGBUS"
        case SIGFPE: "SIGFPE"
        case SIGKILL: "SIGKILL"
        case SIGUSR1: "SIGUSR1"
        case SIGSEGV: "SIGSEGV"
        case SIGUSR2: "SIGUSR2"
        case SIGPIPE: "SIGPIPE"
        case SIGALRM: "SIGALRM"
        case SIGTERM: "SIGTERM"
        case SIGXCPU: "SIGXCPU"
        case SIGXFSZ: "SIGXFSZ"
        case SIGSYS: "SIGSYS"
        default: nil
        }
    }
}
