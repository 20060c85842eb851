/// How much memory of its own a process may have: its last fence, for what grows without a bound of ours, such as a message of endless parts
/// that libzmq gathers.
package struct MemoryLimits: Sendable, Equatable {
    package struct Limit: Sendable, Equatable {
        /// Where it comes from: a key of the cluster's file, or what the supervisor has inherited.
        package let name: String
        /// 0: no limit.
        package let bytes: Int
        package init(name: String, bytes: Int) {
            self.name = name
            self.bytes = bytes
        }

        /// The sentence of a crash report on a process that held at most `peak` bytes; nil far below the limit.
        package func reached(by peak: Int) -> String? {
            guard bytes > 0, peak >= bytes / 4 * 3 else { return nil }
            return "it held \(peak >> 20) MiB of its limit of \(bytes >> 20) MiB (\(name)), where an allocation fails and ends the process; find what"
                + " grows, or raise the limit"
        }

        func isOver(_ inherited: Int) -> Bool { bytes == 0 || bytes > inherited }

        fileprivate func within(_ inherited: Int) -> Limit { isOver(inherited) ? Limit(name: "RLIMIT_DATA (ulimit -d, LimitDATA=), inherited", bytes: inherited) : self }
    }

    package var broker: Limit
    package var host: Limit

    package init(brokerMebibytes: Int = 0, hostMebibytes: Int = 0) {
        broker = Limit(name: "memory.broker-mebibytes", bytes: brokerMebibytes << 20)
        host = Limit(name: "memory.host-mebibytes", bytes: hostMebibytes << 20)
    }

    /// The limits of processes under a hard limit of data in bytes (nil: none), which nobody can raise: where it is less it is a tighter fence.
    package func within(_ inherited: Int?) -> MemoryLimits {
        guard let inherited else { return self }
        var tighter = self
        (tighter.broker, tighter.host) = (broker.within(inherited), host.within(inherited))
        return tighter
    }
}
