import Glibc
import Relux
import ReluxBus

/// What a cluster costs in which nothing happens: processor time, and how often threads wake up, as the kernel counts them.
enum IdleBench {
    private struct Use {
        /// Nanoseconds.
        var processor = 0.0
        /// Threads that had waited and ran again.
        var wakeUps = 0.0
    }

    static func run(_ directory: String, seconds: Int) throws {
        var talk = try BrokerTalk(directory)
        let status = try talk.status()
        guard status.supervisorPid > 0 else { throw BenchError("no supervisor runs in \(directory)") }
        let hosts = Set(status.modules.filter { $0.state.phase == .ready }.map(\.pid)).sorted()
        let processes = hosts + [status.brokerPid, status.supervisorPid]
        let before = try processes.map(use)
        sleep(UInt32(seconds))
        let after = try processes.map(use)
        let costs = zip(before, after).map { before, after in
            (percent: (after.processor - before.processor) / Double(seconds) / 1e7, wakeUps: (after.wakeUps - before.wakeUps) / Double(seconds))
        }
        var line = Line("relux.idle")
        line.add("hosts", hosts.count)
        line.add("seconds", seconds)
        let ofHosts = costs.prefix(hosts.count)
        line.add("host_cpu_percent_median", median(ofHosts.map(\.percent)))
        line.add("host_wakeups_median", median(ofHosts.map(\.wakeUps)))
        line.add("host_wakeups_max", ofHosts.map(\.wakeUps).max() ?? 0)
        line.add("broker_cpu_percent", costs[hosts.count].percent)
        line.add("broker_wakeups", costs[hosts.count].wakeUps)
        line.add("supervisor_cpu_percent", costs[hosts.count + 1].percent)
        line.add("supervisor_wakeups", costs[hosts.count + 1].wakeUps)
        line.printed()
    }

    /// Of all threads that the process has now.
    private static func use(_ pid: Int32) throws -> Use {
        let folder = "/proc/\(pid)/task"
        guard let open = opendir(folder) else { throw BenchError("the threads of process \(pid) cannot be listed: \(String(cString: strerror(errno)))") }
        defer { closedir(open) }
        var use = Use()
        while let entry = readdir(open) {
            let name = withUnsafeBytes(of: entry.pointee.d_name) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
            guard Int32(name) != nil else { continue }
            use.processor += number("\(folder)/\(name)/schedstat") { $0.first } ?? 0
            use.wakeUps += number("\(folder)/\(name)/status") { $0.first == "voluntary_ctxt_switches:" ? $0.last : nil } ?? 0
        }
        return use
    }

    /// The first line that has one; nil also when the thread has ended meanwhile.
    private static func number(_ path: String, _ pick: ([Substring]) -> Substring?) -> Double? {
        guard let file = fopen(path, "r") else { return nil }
        defer { fclose(file) }
        var line = [CChar](repeating: 0, count: 256)
        while fgets(&line, Int32(line.count), file) != nil {
            let words = String(decoding: line.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self).split { $0 == " " || $0 == "\t" || $0 == "\n" }
            if let number = pick(words).flatMap({ Double($0) }) { return number }
        }
        return nil
    }

    private static func median(_ values: [Double]) -> Double {
        let sorted = values.sorted()
        return sorted.isEmpty ? 0 : sorted[sorted.count / 2]
    }
}
