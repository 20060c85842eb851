internal import Glibc

/// The options of a socket about full pipes, silent peers and strangers. Applied once, when it is opened.
///
/// Options that a kind of socket does not know are left out for it. Durations count in whole milliseconds.
///
/// There is no heartbeat: with one, libzmq 4.3.4 ends the *process* (`Assertion failed: !_io_error`, `_input_stopped`) when a peer
/// leaves, or its answer is late, while its messages have no room here because nobody reads them or the socket is closing (#3937,
/// #4364, #4767). The kernel reports at once when a process on this machine is gone; who is frozen shows in our own messages.
package struct SocketOptions: Sendable, Equatable {
    /// How long a closed socket goes on sending what it had queued. Zero loses it; without a limit a dead peer would hold the process.
    /// Nil: a second, but none for SUB and XSUB. What those have queued are subscriptions, made again for each peer that was
    /// lost and is tried again; nobody needs them any more, and a peer that is gone would hold the process for the whole second.
    package var linger: Duration?

    /// Messages queued per peer before `send` has no room; 0 is no limit. Nil: 10 000, but none for SUB and XSUB, where
    /// libzmq loses what exceeds it, and what they send are subscriptions.
    package var sendHighWaterMark: Int?

    /// Messages queued per peer before the peer's own queue fills; 0 is no limit.
    package var receiveHighWaterMark = 10_000

    /// XPUB: `send` has no room while one subscriber of the topic has none. Else that subscriber misses the message.
    package var noDrop = true

    /// XPUB: every single subscription and its end is received, not only the first and last of a topic.
    package var verboseSubscriptions = true

    /// How long a new connection may take to say who it is before it is cut.
    package var handshakeTimeout: Duration = .milliseconds(1000)

    /// The first pause before a lost peer is tried again; it doubles up to `maximumReconnectInterval`.
    package var reconnectInterval: Duration = .milliseconds(5)
    package var maximumReconnectInterval: Duration = .milliseconds(1000)

    /// A peer that sends a larger part is cut, with what it had queued behind it. Nil: no limit.
    package var maximumMessageBytes: Int? = 2 * 1024 * 1024

    /// ROUTER: sending to an unknown peer throws instead of losing the message.
    package var routerMandatory = true

    /// ROUTER: a peer that returns under a routing id in use takes it over; else it is ignored.
    package var routerHandover = true

    /// The name under which a ROUTER at the other end sees this socket, 1 to 255 bytes, the first not zero. Nil: it makes one up.
    package var routingID: [UInt8]?

    /// Users whose processes may connect over ipc; all others are refused in silence. Empty: anybody who may open the path.
    package var ipcUserIDs: [UInt32] = [geteuid()]

    package init() {}

    /// The `linger` that holds for a kind of socket.
    package func linger(of kind: ZeroMQSocket.Kind) -> Duration {
        linger ?? (kind == .sub || kind == .xsub ? .zero : .seconds(1))
    }
}
