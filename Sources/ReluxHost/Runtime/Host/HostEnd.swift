import Glibc

/// How the work of a host process has ended; the supervisor reads it from the exit status.
package enum HostEnd: Sendable {
    /// It has served, or there was nothing to serve.
    case done
    /// No module could be loaded, or all were refused: another try would end the same.
    case refused
    /// The broker knows a living process of that name, as far as it knows: another try may find that one gone.
    case turnedAway

    /// sysexits' code.
    package var status: Int32 {
        switch self {
        case .done: EX_OK
        case .refused: EX_CONFIG
        case .turnedAway: EX_TEMPFAIL
        }
    }
}
