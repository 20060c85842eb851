/// How much memory of its own a process may have: its last fence, for what grows without a bound of ours, such as a message of endless parts
/// that libzmq gathers.
package struct MemoryLimits: Sendable, Equatable {
    package struct Limit: Sendable, Equatable {
        /// The key of the cluster's file that it comes from.
        package let key: String
        /// 0: no limit.
        package let mebibytes: Int
        package var bytes: Int { mebibytes << 20 }
        package init(key: String, mebibytes: Int) {
            self.key = key
            self.mebibytes = mebibytes
        }

        /// What a crash report says of a process that held at most `peak` bytes; nil far below the limit.
        package func reached(by peak: Int) -> String? {
            guard mebibytes > 0, peak >= bytes / 4 * 3 else { return nil }
            return "it held \(peak >> 20) MiB of its limit of \(mebibytes) MiB (\(key)), where an allocation fails and ends the process; find what"
                + " grows, or raise the limit"
        }
    }

    package var broker: Limit
    package var host: Limit

    package init(brokerMebibytes: Int = 0, hostMebibytes: Int = 0) {
        broker = Limit(key: "memory.broker-mebibytes", mebibytes: brokerMebibytes)
        host = Limit(key: "memory.host-mebibytes", mebibytes: hostMebibytes)
    }
}
