internal import CZeroMQ
internal import Glibc

extension SocketOptions {
    /// - Throws: `EINVAL` that names the option and its value.
    func apply(to socket: UnsafeMutableRawPointer, _ kind: ZeroMQSocket.Kind) throws(ZeroMQError) {
        let endsSubscriptions = kind == .sub || kind == .xsub
        try Self.set(socket, ZMQ_LINGER, Self.milliseconds(linger(of: kind)), "linger")
        try Self.set(socket, ZMQ_SNDHWM, sendHighWaterMark ?? (endsSubscriptions ? 0 : 10_000), "sendHighWaterMark")
        try Self.set(socket, ZMQ_RCVHWM, receiveHighWaterMark, "receiveHighWaterMark")
        try Self.set(socket, ZMQ_HANDSHAKE_IVL, Self.milliseconds(handshakeTimeout), "handshakeTimeout")
        try Self.set(socket, ZMQ_RECONNECT_IVL, Self.milliseconds(reconnectInterval), "reconnectInterval")
        try Self.set(
            socket, ZMQ_RECONNECT_IVL_MAX, Self.milliseconds(maximumReconnectInterval), "maximumReconnectInterval")
        try applyLimits(to: socket)
        switch kind {
        case .xpub:
            try Self.set(socket, ZMQ_XPUB_NODROP, noDrop ? 1 : 0, "noDrop")
            try Self.set(socket, ZMQ_XPUB_VERBOSER, verboseSubscriptions ? 1 : 0, "verboseSubscriptions")
        case .router:
            try Self.set(socket, ZMQ_ROUTER_MANDATORY, routerMandatory ? 1 : 0, "routerMandatory")
            try Self.set(socket, ZMQ_ROUTER_HANDOVER, routerHandover ? 1 : 0, "routerHandover")
        default:
            break
        }
    }

    private func applyLimits(to socket: UnsafeMutableRawPointer) throws(ZeroMQError) {
        var limit = Int64(maximumMessageBytes ?? -1)
        guard limit >= -1, zmq_setsockopt(socket, ZMQ_MAXMSGSIZE, &limit, MemoryLayout<Int64>.size) == 0 else {
            throw Self.refused("maximumMessageBytes", "\(limit)")
        }
        for var user in ipcUserIDs {
            guard zmq_setsockopt(socket, ZMQ_IPC_FILTER_UID, &user, MemoryLayout<UInt32>.size) == 0 else {
                throw Self.refused("ipcUserIDs", "\(user)")
            }
        }
        if let routingID {
            guard (1...255).contains(routingID.count), routingID[0] != 0,
                zmq_setsockopt(socket, ZMQ_ROUTING_ID, routingID, routingID.count) == 0
            else {
                throw Self.refused("routingID", "of \(routingID.count) bytes, give 1 to 255 of which the first is not zero")
            }
        }
    }

    static func set(
        _ socket: UnsafeMutableRawPointer, _ option: Int32, _ value: Int, _ name: String
    ) throws(ZeroMQError) {
        guard var number = Int32(exactly: value), number >= 0,
            zmq_setsockopt(socket, option, &number, MemoryLayout<Int32>.size) == 0
        else { throw refused(name, "\(value)") }
    }

    private static func refused(_ name: String, _ value: String) -> ZeroMQError {
        ZeroMQError(code: EINVAL, operation: "option", message: "\(name) is refused: \(value)")
    }

    /// Rounded up, so that a short duration is not taken for none; what does not fit becomes a value that `set` refuses.
    private static func milliseconds(_ duration: Duration) -> Int {
        let (seconds, attoseconds) = duration.components
        let (whole, overflow) = seconds.multipliedReportingOverflow(by: 1000)
        guard !overflow else { return -1 }
        let part = (attoseconds + 999_999_999_999_999) / 1_000_000_000_000_000
        let (sum, sumOverflow) = whole.addingReportingOverflow(part)
        return sumOverflow ? -1 : Int(sum)
    }
}
