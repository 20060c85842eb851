internal import CZeroMQ
internal import Glibc

/// Waits for the first of several sockets and plain file descriptors.
///
/// Fill it once and wait as often as you like: `wait` allocates nothing. It belongs to the thread that owns its sockets.
package struct Poller {
    package struct Events: OptionSet, Sendable {
        package let rawValue: Int16
        package init(rawValue: Int16) { self.rawValue = rawValue }

        package static let readable = Events(rawValue: Int16(ZMQ_POLLIN))
        package static let writable = Events(rawValue: Int16(ZMQ_POLLOUT))
        /// A file descriptor only: its other end is gone or it is broken. Reported without being asked for.
        package static let failed = Events(rawValue: Int16(ZMQ_POLLERR))
    }

    private var items: [zmq_pollitem_t] = []
    /// The same for the system, as long as there are only descriptors: libzmq would look twice.
    private var descriptors: [pollfd] = []
    private var hasSockets = false

    package init(capacity: Int = 8) {
        items.reserveCapacity(capacity)
    }

    /// Adds a socket and returns its index.
    ///
    /// - Important: Call `removeAll` before the socket closes; the poller does not keep it open.
    @discardableResult
    package mutating func add(_ socket: borrowing ZeroMQSocket, for events: Events = .readable) -> Int {
        items.append(zmq_pollitem_t(socket: socket.handle, fd: 0, events: events.rawValue, revents: 0))
        hasSockets = true
        return items.count - 1
    }

    /// Adds a file descriptor and returns its index.
    @discardableResult
    package mutating func add(fileDescriptor: Int32, for events: Events = .readable) -> Int {
        items.append(zmq_pollitem_t(socket: nil, fd: fileDescriptor, events: events.rawValue, revents: 0))
        descriptors.append(pollfd(fd: fileDescriptor, events: events.system, revents: 0))
        return items.count - 1
    }

    /// Changes what the item at `index` is waited for; an empty set leaves it out.
    package mutating func setInterest(_ events: Events, at index: Int) {
        items[index].events = events.rawValue
        if !hasSockets { descriptors[index].events = events.system }
    }

    package mutating func removeAll() {
        items.removeAll(keepingCapacity: true)
        descriptors.removeAll(keepingCapacity: true)
        hasSockets = false
    }

    /// Returns when an item is ready or the time is over.
    ///
    /// - Parameter milliseconds: zero looks and returns, a negative value waits for ever.
    /// - Returns: how many items are ready; ask `ready(at:)` which.
    /// - Throws: `isTerminated`; `ENOTSOCK` for a socket that was closed.
    package mutating func wait(milliseconds: Int) throws(ZeroMQError) -> Int {
        let end = milliseconds > 0 ? Self.now() &+ milliseconds : 0
        var left = milliseconds
        while true {
            let count = hasSockets ? items.withUnsafeMutableBufferPointer { zmq_poll($0.baseAddress, Int32($0.count), left) } : look(left)
            if count >= 0 { return Int(count) }
            let code = zmq_errno()
            guard code == EINTR else { throw .of(code, "poll", "\(items.count) items") }
            if milliseconds > 0 { left = max(0, end &- Self.now()) }
        }
    }

    private mutating func look(_ milliseconds: Int) -> Int32 {
        let count = poll(&descriptors, nfds_t(descriptors.count), Int32(clamping: milliseconds))
        for index in descriptors.indices { items[index].revents = Events(system: descriptors[index].revents).rawValue }
        return count
    }

    /// The events that the last `wait` found at `index`.
    package func ready(at index: Int) -> Events {
        Events(rawValue: items[index].revents)
    }

    private static func now() -> Int {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return time.tv_sec &* 1000 &+ time.tv_nsec / 1_000_000
    }
}

extension Poller.Events {
    fileprivate var system: Int16 {
        (contains(.readable) ? Int16(POLLIN) : 0) | (contains(.writable) ? Int16(POLLOUT) : 0)
    }

    fileprivate init(system found: Int16) {
        self = []
        if found & Int16(POLLIN) != 0 { insert(.readable) }
        if found & Int16(POLLOUT) != 0 { insert(.writable) }
        if found & ~Int16(POLLIN | POLLOUT) != 0 { insert(.failed) }
    }
}
