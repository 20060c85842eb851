internal import CZeroMQ
internal import Glibc

extension ZeroMQSocket {
    /// Takes the next part into `message`, whose former content is released.
    ///
    /// - Parameter wait: block until there is one.
    /// - Returns: false when there is none.
    /// - Throws: `isTerminated`; `EFSM` for a REQ or REP out of turn; `ENOTSUP` for a PUB.
    package func receive(into message: inout ZeroMQMessage, wait: Bool = false) throws(ZeroMQError) -> Bool {
        let flags = wait ? 0 : ZMQ_DONTWAIT
        while zmq_msg_recv(&message.part, handle, flags) < 0 {
            let code = zmq_errno()
            if code == EAGAIN { return false }
            if code != EINTR { throw .of(code, "receive", "a \(kind) socket") }
        }
        return true
    }

    /// Takes the next message with all its parts, a ROUTER's routing id first; nil when there is none.
    package func receiveParts(wait: Bool = false) throws(ZeroMQError) -> [[UInt8]]? {
        var message = ZeroMQMessage()
        guard try receive(into: &message, wait: wait) else { return nil }
        var parts = [message.bytes]
        while message.hasMore {
            // Messages arrive whole: after its first part the others are there.
            guard try receive(into: &message) else {
                throw ZeroMQError(
                    code: EPROTO, operation: "receive",
                    message: "part \(parts.count + 1) of a message is missing on a \(kind) socket; close it")
            }
            parts.append(message.bytes)
        }
        return parts
    }

    /// Takes the next subscription or end of one that an XPUB has got, and whose it is; nil when there is none. The end of a connection ends its
    /// subscriptions, and they are nobody's then.
    package func receiveSubscription() throws(ZeroMQError) -> (bytes: [UInt8], peer: String?)? {
        var message = ZeroMQMessage()
        guard try receive(into: &message) else { return nil }
        return (message.bytes, message.peerAddress)
    }

    /// Takes the next message, which must be of one part; nil when there is none.
    ///
    /// - Throws: as `receive(into:wait:)`; `EMSGSIZE` for a message of several parts, which is taken and dropped.
    package func receiveBytes(wait: Bool = false) throws(ZeroMQError) -> [UInt8]? {
        guard let parts = try receiveParts(wait: wait) else { return nil }
        guard parts.count == 1 else {
            throw ZeroMQError(
                code: EMSGSIZE, operation: "receive",
                message: "a message of \(parts.count) parts where one is expected on a \(kind) socket; it was dropped")
        }
        return parts[0]
    }
}
