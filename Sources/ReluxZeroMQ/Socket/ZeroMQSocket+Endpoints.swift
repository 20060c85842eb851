internal import CZeroMQ
internal import Glibc

extension ZeroMQSocket {
    /// The longest ipc path that is accepted. The kernel's limit is 107; the rest is left for what is put beside a socket.
    package static let maximumIPCPathBytes = 100

    /// Listens at `endpoint`, for instance `ipc:///run/relux/a.sock`.
    ///
    /// - Important: Over ipc libzmq takes a path from a live process in silence. Hold a ``SocketLock`` on it first.
    /// - Throws: `EADDRINUSE`, `ENAMETOOLONG`, `EINVAL` for what is no endpoint, `ENOENT`, `EACCES`.
    package func bind(_ endpoint: String) throws(ZeroMQError) {
        try call("bind", endpoint, zmq_bind)
    }

    /// Stops listening at `endpoint` as it was bound; peers that are connected by then stay, an ipc path's file too.
    package func unbind(_ endpoint: String) throws(ZeroMQError) {
        try call("unbind", endpoint, zmq_unbind)
    }

    /// Connects in the background, now or as soon as somebody listens there, and again after each loss.
    package func connect(_ endpoint: String) throws(ZeroMQError) {
        try call("connect", endpoint, zmq_connect)
    }

    /// Leaves a peer; what was queued for it is still sent, for `linger` at most.
    package func disconnect(_ endpoint: String) throws(ZeroMQError) {
        try call("disconnect", endpoint, zmq_disconnect)
    }

    /// Readable when there may be something to receive; look, by receiving until there is nothing, before each wait for it. Others may
    /// wait for it while the socket is used elsewhere, which a ``Poller`` of the socket itself must not.
    package var signalFileDescriptor: Int32 {
        get throws(ZeroMQError) {
            var descriptor: Int32 = -1
            var size = MemoryLayout<Int32>.size
            guard zmq_getsockopt(handle, ZMQ_FD, &descriptor, &size) == 0 else { throw .last("fileDescriptor", "a \(kind) socket") }
            return descriptor
        }
    }

    /// The endpoint of the last `bind` or `connect`, with wildcards such as `tcp://127.0.0.1:*` filled in; empty before.
    package var lastEndpoint: String {
        var text = [CChar](repeating: 0, count: 1024)
        var count = text.count
        guard zmq_getsockopt(handle, ZMQ_LAST_ENDPOINT, &text, &count) == 0 else { return "" }
        return String(decoding: text.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
    }

    private func call(
        _ operation: String, _ endpoint: String,
        _ body: (UnsafeMutableRawPointer?, UnsafePointer<CChar>?) -> Int32
    ) throws(ZeroMQError) {
        try Self.check(operation, endpoint)
        repeat {
            if body(handle, endpoint) == 0 { return }
        } while zmq_errno() == EINTR
        throw .last(operation, endpoint)
    }

    /// libzmq would cut or refuse a long path with a message that does not name it.
    private static func check(_ operation: String, _ endpoint: String) throws(ZeroMQError) {
        let scheme = "ipc://"
        guard endpoint.utf8.starts(with: scheme.utf8) else { return }
        let path = endpoint.dropFirst(scheme.count)
        guard path.utf8.count > maximumIPCPathBytes else { return }
        throw ZeroMQError(
            code: ENAMETOOLONG, operation: operation,
            message: """
                the path \(path) has \(path.utf8.count) bytes, the limit is \(maximumIPCPathBytes); \
                put the sockets into a directory with a shorter path
                """)
    }
}
