internal import CZeroMQ
internal import Glibc

extension ZeroMQSocket {
    /// Queues one part for sending.
    ///
    /// - Parameters:
    ///   - more: further parts of the same message follow; the peer sees all or none of them.
    ///   - wait: block while there is no room. Never wait where messages are received too: two such peers block each other.
    /// - Returns: false when there is no room, or no peer for a kind that needs one; nothing was sent then.
    /// - Throws: `isTerminated`; `isUnreachable` for a ROUTER without that peer; `EFSM` for a REQ or REP out of turn.
    package func send(
        _ bytes: UnsafeRawBufferPointer, more: Bool = false, wait: Bool = false
    ) throws(ZeroMQError) -> Bool {
        try report(Self.send(bytes, to: handle, Self.flags(more, wait)), bytes.count)
    }

    /// Queues a copy of `bytes` as one part.
    package func send(_ bytes: [UInt8], more: Bool = false, wait: Bool = false) throws(ZeroMQError) -> Bool {
        let (handle, flags) = (handle, Self.flags(more, wait))
        return try report(bytes.withUnsafeBytes { Self.send($0, to: handle, flags) }, bytes.count)
    }

    /// Queues `message` without a copy. It is empty afterwards when true is returned, and as before when not.
    package func send(
        _ message: inout ZeroMQMessage, more: Bool = false, wait: Bool = false
    ) throws(ZeroMQError) -> Bool {
        let count = message.count
        let flags = Self.flags(more, wait)
        while zmq_msg_send(&message.part, handle, flags) < 0 {
            let code = zmq_errno()
            if code != EINTR { return try report(code, count) }
        }
        return true
    }

    /// Queues a message of several parts; an empty list sends nothing.
    ///
    /// - Returns: false when there is no room; nothing was sent then, and the message is to be sent again from its first part.
    package func send(parts: [[UInt8]], wait: Bool = false) throws(ZeroMQError) -> Bool {
        for (index, part) in parts.enumerated() {
            // A peer that dies between two parts takes those sent before with it, so any refusal concerns the whole message.
            guard try send(part, more: index + 1 < parts.count, wait: wait) else { return false }
        }
        return true
    }

    /// Zero or errno.
    private static func send(_ bytes: UnsafeRawBufferPointer, to handle: UnsafeMutableRawPointer, _ flags: Int32) -> Int32 {
        while zmq_send(handle, bytes.baseAddress, bytes.count, flags) < 0 {
            let code = zmq_errno()
            if code != EINTR { return code }
        }
        return 0
    }

    private func report(_ code: Int32, _ count: Int) throws(ZeroMQError) -> Bool {
        switch code {
        case 0: return true
        case EAGAIN: return false
        default: throw .of(code, "send", "\(count) bytes on a \(kind) socket")
        }
    }

    private static func flags(_ more: Bool, _ wait: Bool) -> Int32 {
        (more ? ZMQ_SNDMORE : 0) | (wait ? 0 : ZMQ_DONTWAIT)
    }
}
