package import ReluxControl

extension ClusterConfiguration {
    /// Findings on a hard limit of data that the cluster's processes inherit, in bytes (nil: none), beside the memory that the cluster gives them.
    package func findings(underData inherited: Int?) -> [StartFinding] {
        guard let inherited else { return [] }
        let over = [memory.broker, memory.host].filter { $0.isOver(inherited) }
        // So low that no process starts: that is another finding.
        guard !over.isEmpty, inherited >= InheritedLimit.data.need(of: .daemon) else { return [] }
        let asked = over.map { "\($0.name) is \($0.bytes == 0 ? "0, no limit" : "\($0.bytes >> 20)")" }.joined(separator: " and ")
        let limit = "RLIMIT_DATA (ulimit -d, LimitDATA=) is \(inherited >> 20) MiB here"
        func finding(_ text: String, or remedy: String, isFatal: Bool) -> StartFinding {
            StartFinding(name: InheritedLimit.data.rawValue, isFatal: isFatal, text: text, remedy: "\(InheritedLimit.data.remedy), or \(remedy)")
        }
        let key = "bus.queue-mebibytes"
        let variable = ConfigurationKey.all.first { $0.name == key }?.variable ?? ""
        let queue = hosts.compactMap { $0.environment[variable].flatMap { Int($0) } }.reduce(busQueueMebibytes, max)
        if (queue + ConfigurationRules.ownMebibytes) << 20 > inherited {
            return [
                finding(
                    "\(limit), and \(key) is \(queue) beside the \(ConfigurationRules.ownMebibytes) that a host takes itself: it would be ended before its sources wait",
                    or: "lower \(key)", isFatal: true)
            ]
        }
        return [finding("\(limit), and \(asked): a process gets no more than these \(inherited >> 20)", or: "lower memory.* in the cluster's file", isFatal: false)]
    }
}
