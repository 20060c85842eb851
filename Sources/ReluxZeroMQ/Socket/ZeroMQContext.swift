internal import CZeroMQ
internal import Glibc
internal import Synchronization

/// The process's libzmq: its I/O thread and all its sockets.
///
/// Make one per process and share it: closing a second context that uses CURVE can crash the first (libzmq 4.3.4).
/// Every socket keeps its context alive, so the last reference going away terminates it with no socket left to wait for, but
/// with what they had queued: where that may block, call `terminate` on a thread of your choice first.
package final class ZeroMQContext: Sendable {
    /// libzmq's contexts may be used from any thread. Nil once terminated.
    private let handle: Mutex<Handle?>

    // Invariant: the address is only passed to libzmq, which locks; it is released once, by whoever takes it out of the mutex.
    private struct Handle: @unchecked Sendable { let address: UnsafeMutableRawPointer }

    /// - Parameters:
    ///   - maximumSockets: how many sockets may be open at once; inproc pipes and monitors count.
    ///   - ioThreads: threads that move the bytes; one serves about a million messages a second.
    /// - Throws: `EMFILE` when the process has no descriptors left, `EINVAL` for a limit that libzmq refuses.
    package init(maximumSockets: Int = 1023, ioThreads: Int = 1) throws(ZeroMQError) {
        guard let address = zmq_ctx_new() else { throw .last("context", "a new context") }
        handle = Mutex(Handle(address: address))
        try Self.set(address, ZMQ_MAX_SOCKETS, maximumSockets, "maximumSockets")
        try Self.set(address, ZMQ_IO_THREADS, ioThreads, "ioThreads")
    }

    deinit { terminate() }

    /// Makes every blocked or later operation on this context's sockets throw `isTerminated`, and returns when all of them are
    /// closed and have sent what they had left, each for its `linger` at most.
    ///
    /// Call it from a thread that holds no open socket, or it never returns. Further calls return at once.
    package func terminate() {
        let taken = handle.withLock { handle in
            defer { handle = nil }
            return handle
        }
        guard let taken else { return }
        while zmq_ctx_term(taken.address) < 0, zmq_errno() == EINTR {}
    }

    /// Opens a socket; the caller closes it. Under the lock, as a terminated context's memory is gone.
    func open(_ kind: ZeroMQSocket.Kind) throws(ZeroMQError) -> UnsafeMutableRawPointer {
        let (address, code) = handle.withLock { handle -> (UInt, Int32) in
            guard let handle else { return (0, ZeroMQCode.terminated) }
            guard let socket = zmq_socket(handle.address, kind.number) else { return (0, zmq_errno()) }
            return (UInt(bitPattern: socket), 0)
        }
        guard let socket = UnsafeMutableRawPointer(bitPattern: address) else {
            throw .of(code, "socket", "a new \(kind) socket")
        }
        return socket
    }

    private static func set(
        _ address: UnsafeMutableRawPointer, _ option: Int32, _ value: Int, _ name: String
    ) throws(ZeroMQError) {
        guard let value = Int32(exactly: value), zmq_ctx_set(address, option, value) == 0 else {
            throw ZeroMQError(
                code: EINVAL, operation: "context", message: "\(name) is \(value), give a positive number of moderate size")
        }
    }
}
