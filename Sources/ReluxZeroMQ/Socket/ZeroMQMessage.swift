internal import CZeroMQ

/// One part of a message, held by libzmq: received or to be sent without a copy.
///
/// Keep one and receive into it again and again. Bodies of 33 bytes at most live inside the value, larger ones on the heap.
package struct ZeroMQMessage: ~Copyable {
    var part: zmq_msg_t

    /// An empty message, to receive into.
    package init() {
        part = zmq_msg_t()
        zmq_msg_init(&part)
    }

    /// A message of `byteCount` bytes for the caller to fill; they are not zeroed.
    ///
    /// - Throws: `ENOMEM`.
    package init(byteCount: Int) throws(ZeroMQError) {
        var part = zmq_msg_t()
        guard zmq_msg_init_size(&part, byteCount) == 0 else {
            throw .last("message", "a message of \(byteCount) bytes")
        }
        self.part = part
    }

    /// A message with a copy of `bytes`.
    ///
    /// - Throws: `ENOMEM`.
    package init(_ bytes: [UInt8]) throws(ZeroMQError) {
        try self.init(byteCount: bytes.count)
        withUnsafeMutableBytes { $0.copyBytes(from: bytes) }
    }

    deinit {
        var part = part
        zmq_msg_close(&part)
    }

    package var count: Int {
        withUnsafePointer(to: part) { zmq_msg_size($0) }
    }

    /// Where it comes from, as the kernel says it: over ipc `host:uid:gid:pid`. Nil for what no peer has sent.
    package var peerAddress: String? {
        withUnsafePointer(to: part) { zmq_msg_gets($0, "Peer-Address") }.map { String(cString: $0) }
    }

    /// Whether further parts of the same message follow.
    package var hasMore: Bool {
        withUnsafePointer(to: part) { zmq_msg_more($0) != 0 }
    }

    /// The body in an array of its own.
    package var bytes: [UInt8] {
        withUnsafeBytes { [UInt8]($0) }
    }

    /// Lends the body; the pointer is good until `body` returns.
    package func withUnsafeBytes<R, E: Error>(_ body: (UnsafeRawBufferPointer) throws(E) -> R) throws(E) -> R {
        // A short body lies inside the value: libzmq wants its address, so work on a copy that outlives the call.
        var part = part
        return try withUnsafeMutablePointer(to: &part) { (part) throws(E) -> R in
            try body(UnsafeRawBufferPointer(start: zmq_msg_data(part), count: zmq_msg_size(part)))
        }
    }

    /// Lends the body for writing. Never write to a message that was copied or received: others may read the same bytes.
    package mutating func withUnsafeMutableBytes<R, E: Error>(
        _ body: (UnsafeMutableRawBufferPointer) throws(E) -> R
    ) throws(E) -> R {
        try withUnsafeMutablePointer(to: &part) { (part) throws(E) -> R in
            try body(UnsafeMutableRawBufferPointer(start: zmq_msg_data(part), count: zmq_msg_size(part)))
        }
    }

    /// A second handle on the same bytes, so that one body can go out through two sockets. Both must only be read.
    package mutating func share() -> ZeroMQMessage {
        var twin = ZeroMQMessage()
        // Fails only for a message that was not initialised, which this type rules out.
        _ = zmq_msg_copy(&twin.part, &part)
        return twin
    }
}
