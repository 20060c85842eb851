internal import CZeroMQ
internal import Glibc

extension ZeroMQSocket {
    /// A socket from which a message comes each time that this one has made a connection, the first time and again.
    ///
    /// Read it until it is empty; what its messages say besides is libzmq's own. Close it before this one.
    /// - Throws: `EMFILE` when the context's sockets are used up.
    package func connections() throws(ZeroMQError) -> ZeroMQSocket {
        // Unique while this socket lives.
        let endpoint = "inproc://connections-\(UInt(bitPattern: handle))"
        guard zmq_socket_monitor(handle, endpoint, ZMQ_EVENT_HANDSHAKE_SUCCEEDED) == 0 else { throw .last("monitor", endpoint) }
        let monitor = try ZeroMQSocket(.pair, in: context)
        try monitor.connect(endpoint)
        return monitor
    }
}
