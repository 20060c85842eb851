import ReluxZeroMQ
import Synchronization

/// How fast each process may subscribe at one socket, as long as this lives.
///
/// Design notes. An XPUB takes in whatever its peers have sent before it lets anybody look, so several that flood it are not seen by a
/// ``SubscriptionBook`` in time. This counts where the bytes come in; the book counts what is kept, however slowly it came.
final class SubscriptionIntake: Sendable {
    /// Further bytes each second. A host that hears a thousand topics subscribes them once, and again after each disconnection.
    private static let bytesPerSecond = 64 << 10
    private let path: String?
    private let seen = Mutex<UInt64>(0)

    /// - Parameter endpoint: anything but an ipc endpoint is not measured.
    init(at endpoint: String) {
        path = endpoint.hasPrefix("ipc://") ? String(endpoint.dropFirst("ipc://".count)) : nil
        if let path { PeerConnections.limitIntake(SubscriptionBook.byteLimit, perSecond: Self.bytesPerSecond, at: path) }
    }

    deinit {
        if let path { PeerConnections.endIntakeLimit(at: path) }
    }

    /// How often a connection was ended here since the last call.
    func newlyCut() -> UInt64 {
        guard let path else { return 0 }
        let cut = PeerConnections.cutForIntake(at: path)
        return seen.withLock { seen in
            defer { seen = cut }
            return cut - min(cut, seen)
        }
    }
}
