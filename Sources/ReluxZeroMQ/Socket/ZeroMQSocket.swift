internal import CZeroMQ
internal import Glibc

/// Design notes
/// - A socket belongs to one thread at a time. It is not `Sendable` but may be sent: open it on the thread that uses it, or hand it over whole.
/// - It keeps its context alive, and closes when its value goes away; what was queued is still sent, for `linger` at most.
/// - No operation blocks unless it is told to wait. `EINTR` is never seen by the caller.

/// A ZeroMQ socket with the cluster's options.
package struct ZeroMQSocket: ~Copyable {
    package enum Kind: Sendable, CaseIterable {
        case xpub, xsub, pub, sub, dealer, router, pair, req, rep

        var number: Int32 {
            switch self {
            case .xpub: ZMQ_XPUB
            case .xsub: ZMQ_XSUB
            case .pub: ZMQ_PUB
            case .sub: ZMQ_SUB
            case .dealer: ZMQ_DEALER
            case .router: ZMQ_ROUTER
            case .pair: ZMQ_PAIR
            case .req: ZMQ_REQ
            case .rep: ZMQ_REP
            }
        }
    }

    /// The longest topic that may be subscribed: libzmq 4.3.4 loses subscriptions of 246 to 255 bytes in silence (#4564).
    package static let maximumTopicBytes = 200

    package let kind: Kind
    let handle: UnsafeMutableRawPointer
    let context: ZeroMQContext

    /// - Throws: `EMFILE` when the context's `maximumSockets` are open, `isTerminated`, `EINVAL` naming the refused option.
    package init(
        _ kind: Kind, in context: ZeroMQContext, options: SocketOptions = SocketOptions()
    ) throws(ZeroMQError) {
        let handle = try context.open(kind)
        do throws(ZeroMQError) {
            try options.apply(to: handle, kind)
        } catch {
            zmq_close(handle)
            throw error
        }
        self.kind = kind
        self.handle = handle
        self.context = context
    }

    deinit { zmq_close(handle) }

    /// Closes the socket now. Its peers notice at once, what was queued still goes out for `linger` at most.
    package consuming func close() {}

    /// Asks for all messages that begin with `topic`; only for SUB and XSUB. Each subscription counts: undo it as often.
    ///
    /// - Throws: `EINVAL` for a topic over `maximumTopicBytes` or another kind of socket.
    package func subscribe(_ topic: [UInt8]) throws(ZeroMQError) {
        try changeSubscription("subscribe", topic, ZMQ_SUBSCRIBE, frameMark: 1)
    }

    /// Takes back one `subscribe` of the same bytes.
    package func unsubscribe(_ topic: [UInt8]) throws(ZeroMQError) {
        try changeSubscription("unsubscribe", topic, ZMQ_UNSUBSCRIBE, frameMark: 0)
    }

    /// Chooses what an XPUB does about a subscriber whose pipe is full: `true`, the default, makes `send` return false and
    /// sends to nobody; `false` drops the message for that subscriber alone. It holds for the sends that follow.
    ///
    /// A subscriber that has missed a message is passed over until half of its pipe is empty again, in either mode: it refuses no
    /// further send. The socket notices the room when it is polled, and by itself within milliseconds of sending.
    package func setNoDrop(_ noDrop: Bool) throws(ZeroMQError) {
        guard kind == .xpub else {
            throw ZeroMQError(
                code: EINVAL, operation: "setNoDrop", message: "a \(kind) socket always drops; use an xpub socket")
        }
        try SocketOptions.set(handle, ZMQ_XPUB_NODROP, noDrop ? 1 : 0, "noDrop")
    }

    private func changeSubscription(
        _ operation: String, _ topic: [UInt8], _ option: Int32, frameMark: UInt8
    ) throws(ZeroMQError) {
        guard topic.count <= Self.maximumTopicBytes else {
            throw ZeroMQError(
                code: EINVAL, operation: operation,
                message: "a topic of \(topic.count) bytes, the limit is \(Self.maximumTopicBytes); subscribe a shorter prefix")
        }
        switch kind {
        case .xsub:
            _ = try send([frameMark] + topic, wait: true)
        case .sub:
            guard zmq_setsockopt(handle, option, topic, topic.count) == 0 else {
                throw .last(operation, "a topic of \(topic.count) bytes")
            }
        default:
            throw ZeroMQError(
                code: EINVAL, operation: operation, message: "a \(kind) socket has no subscriptions; use sub or xsub")
        }
    }
}
