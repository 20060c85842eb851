package import ReluxControl

/// The supervisor's way to the broker; one conversation per life of the broker.
package protocol BrokerLink: Sendable {
    /// Begins a conversation with a broker that listens at the endpoint, or will soon. What is sent before it listens
    /// waits for it. `deliver` is called for each message, on a thread of the link's; messages that cannot be decoded
    /// are dropped.
    func connect(_ endpoint: String, deliver: @escaping @Sendable (BrokerOutbound) -> Void)
    /// Queues a message and returns at once; without a conversation it is dropped, for the next one begins with all
    /// that the broker must know.
    func send(_ message: BrokerInbound)
    /// Ends the conversation; what is unsent is dropped.
    func disconnect()
}
