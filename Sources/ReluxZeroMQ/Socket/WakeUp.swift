internal import CZeroMQ
internal import Glibc

/// Wakes a thread that waits in a ``Poller``, from any other thread.
///
/// Signals add up to one: the waiter drains, then looks at all that others may have left for it.
package final class WakeUp: Sendable {
    /// Readable from `signal` to `drain`.
    package let fileDescriptor: Int32

    /// - Throws: `EMFILE` or `ENFILE` when there are no descriptors left.
    package init() throws(ZeroMQError) {
        fileDescriptor = czmq_eventfd()
        guard fileDescriptor >= 0 else { throw .of(errno, "wakeUp", "a new eventfd") }
    }

    deinit { Glibc.close(fileDescriptor) }

    /// Wakes the waiter, or lets its next wait return at once. Never blocks.
    package func signal() {
        var one: UInt64 = 1
        // A full counter (EAGAIN) is readable already.
        while write(fileDescriptor, &one, MemoryLayout<UInt64>.size) < 0, errno == EINTR {}
    }

    /// Takes all signals up to now. Call it before looking for work, or a signal in between is lost.
    ///
    /// - Returns: whether there were any.
    @discardableResult
    package func drain() -> Bool {
        var count: UInt64 = 0
        while read(fileDescriptor, &count, MemoryLayout<UInt64>.size) < 0 {
            if errno != EINTR { return false }
        }
        return true
    }
}
