internal import CZeroMQ
internal import Glibc

/// A refused socket operation: what was tried, why it failed and what to do about it.
package struct ZeroMQError: Error, Sendable, Equatable, CustomStringConvertible {
    /// The errno value, libzmq's own included (`ETERM` is 156384765).
    package let code: Int32
    /// The operation that failed, for instance `bind`.
    package let operation: String
    /// The offending value, the limit where there is one, and the remedy.
    package let message: String

    package init(code: Int32, operation: String, message: String) {
        self.code = code
        self.operation = operation
        self.message = message
    }

    package var description: String { "\(operation) failed: \(message)" }

    /// The context is being terminated: close the socket and leave the thread.
    package var isTerminated: Bool { code == ZeroMQCode.terminated }

    /// Another process has the path.
    package var isInUse: Bool { code == EADDRINUSE }

    /// A ROUTER has no peer of the given routing id.
    package var isUnreachable: Bool { code == EHOSTUNREACH }
}

/// libzmq's errno values that Swift cannot import, as they are computed macros (source: `zmq.h`).
enum ZeroMQCode {
    private static let base: Int32 = 156_384_712
    static let wrongState = base + 51
    static let terminated = base + 53
}

extension ZeroMQError {
    /// The error that libzmq has just reported on this thread.
    static func last(_ operation: String, _ subject: String) -> ZeroMQError {
        of(zmq_errno(), operation, subject)
    }

    static func of(_ code: Int32, _ operation: String, _ subject: String) -> ZeroMQError {
        let reason = String(cString: zmq_strerror(code))
        let remedy = remedy(for: code).map { "; \($0)" } ?? ""
        return ZeroMQError(code: code, operation: operation, message: "\(subject): \(reason)\(remedy)")
    }

    private static func remedy(for code: Int32) -> String? {
        switch code {
        case ZeroMQCode.terminated: "close the socket, its context is terminating"
        case ZeroMQCode.wrongState: "a REQ and a REP take sends and receives in turns only"
        case EHOSTUNREACH: "wait until the peer has connected and said who it is"
        case EADDRINUSE: "end the process that is bound there or choose another endpoint"
        case ENOENT: "create the endpoint's directory first, or bind or connect it before"
        case EACCES: "check owner and mode of the endpoint's directory"
        case EMFILE: "raise the context's maximumSockets or the limit of open files"
        default: nil
        }
    }
}
