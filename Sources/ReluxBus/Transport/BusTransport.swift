/// The way frames travel: sockets, or queues in memory.
///
/// The endpoint tells it whom to hear (from any thread) and wakes it when there is something to send; it then pulls batches on
/// a thread of its own and calls back with what comes in. Order is kept from one endpoint to another.
package protocol BusTransport: Sendable {
    /// Starts to serve the endpoint; called once.
    func start(serving endpoint: any BusTransportClient) throws
    /// There is something to pull.
    func wake()
    /// The same, and the caller would have it done at once: it may be, on the caller's thread, if that holds up nobody. Not from
    /// a call of ours, and never under a lock.
    func wakeInline()
    func connect(_ endpoint: String)
    func disconnect(_ endpoint: String)
    func subscribe(_ prefix: [UInt8])
    func unsubscribe(_ prefix: [UInt8])
    /// Sends what was pulled, closes and returns when its threads have ended.
    func stop()
}

extension BusTransport {
    package func wakeInline() { wake() }
}

/// The calls that a transport makes to its endpoint.
package protocol BusTransportClient: AnyObject, Sendable {
    /// The next batch to send, and after how long to pull again at the latest.
    func pull() -> Outgoing
    /// The same for a thread that must not wait for a disk; nil when that might be. One call at a time, of this and of ``pull()``.
    func pullInline() -> Outgoing?
    /// A frame that a subscription matched.
    func received(_ message: [UInt8])
    /// Somebody subscribed to us.
    func subscribed(_ subscription: [UInt8])
    /// A frame had to be dropped for at least one slow subscriber.
    func droppedForSlowSubscriber()
    /// A process was cut off because it had subscribed too much.
    func cutSubscriber()
}

extension BusTransportClient {
    package func pullInline() -> Outgoing? { pull() }
}

package struct Outgoing: Sendable {
    package struct Message: Sendable {
        package var bytes: [UInt8]
        package var tapOnly: Bool
        /// It will be said again soon: no room is waited for.
        package var isHint = false
    }
    package var messages: [Message] = []
    /// Nothing was left to take: only then may the sending thread sleep, for only then does the next append wake it. What is
    /// taken need not yield a message.
    package var isIdle = true
    package var nextPull: Duration?
    package init() {}
}
