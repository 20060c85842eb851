import ReluxControl
import ReluxWire

/// Values that may not stand beside each other, though each is allowed alone.
///
/// Some keys can be given to one host by its environment; the same rules hold for what that host then has.
enum ConfigurationRules {
    /// Two keys, the first of which may not be more than the second.
    private struct Order {
        let lower: String
        let higher: String
        /// The consequence if the first were more.
        let why: String
        /// The part of the second that the first may not take.
        var reserved = 0
        /// Where 0 of the second stands for no limit.
        var isZeroEndless = false
    }

    private static let orders = [
        Order(lower: "supervisor.backoff.base", higher: "supervisor.backoff.cap", why: "the first delay would be over the longest"),
        Order(lower: "supervisor.backoff.base", higher: "supervisor.period", why: "deaths so far apart would never count together"),
        Order(lower: "liveness.stall", higher: "liveness.restart", why: "a module would be restarted before it is said to be stalled"),
        Order(lower: "bus.patience", higher: "dispatch.deadline", why: "whoever awaits an effect would have given up before it is sent"),
        Order(lower: "journal.retention-mebibytes", higher: "journal.node-mebibytes", why: "one module would keep more than all together may"),
        Order(
            lower: "bus.queue-mebibytes", higher: "memory.host-mebibytes", why: "a host would be ended before its sources wait",
            reserved: ownMebibytes, isZeroEndless: true),
    ]

    static let leastMebibytes = InheritedLimit.data.need(of: .daemon) >> 20
    /// The memory that a host takes itself beside its queues.
    static let ownMebibytes = leastMebibytes / 2

    /// The first contradiction among values that are allowed each alone, with the key to blame first.
    static func contradiction(in values: [String: String]) -> (key: String, other: String, text: String)? {
        for key in ["memory.broker-mebibytes", "memory.host-mebibytes"] {
            guard let value = number(values[key]), (1..<Double(leastMebibytes)).contains(value) else { continue }
            return (key, key, "\(key): \(values[key]!) is too little for a process to start; it takes \(leastMebibytes) or more, or 0 for no limit")
        }
        for order in orders {
            guard let lower = number(values[order.lower]), let higher = number(values[order.higher]), !(order.isZeroEndless && higher == 0),
                lower + Double(order.reserved) > higher
            else { continue }
            let than = order.reserved == 0 ? "" : " without the \(order.reserved) that a process takes itself"
            return (
                order.lower, order.higher,
                "\(order.lower): \(values[order.lower]!) is more than \(order.higher) \(values[order.higher]!)\(than): \(order.why); "
                    + "lower the first or raise the second"
            )
        }
        if let directory = values["cluster.directory"], directory == values["cluster.packed"] {
            return (
                "cluster.packed", "cluster.directory",
                "cluster.packed: \(directory) is cluster.directory too: a module's folder would lie among the cluster's own; name another, such as \(directory)/packed"
            )
        }
        return nil
    }

    private static func number(_ text: String?) -> Double? {
        guard let text else { return nil }
        return Double(text) ?? DurationText.parse(text).map { $0 / .seconds(1) }
    }
}
