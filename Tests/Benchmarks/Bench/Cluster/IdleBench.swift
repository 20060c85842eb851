import Glibc
import Relux
import ReluxControl

/// The cost of a cluster in which nothing happens: processor time, and how often threads wake up, as the kernel counts them.
enum IdleBench {
    private struct Use {
        /// Nanoseconds.
        var processor = 0.0
        /// Threads that had waited and ran again.
        var wakeUps = 0.0
    }

    private static let settling: UInt32 = 15

    static func run(_ directory: String, seconds: Int) throws {
        var talk = try BrokerTalk(directory)
        let status = try talk.status()
        guard status.supervisorPid > 0 else { throw BenchError("no supervisor runs in \(directory)") }
        let hosts = Set(status.modules.filter { $0.state.phase == .ready }.map(\.pid)).sorted()
        // A start goes on for some seconds behind the first status.
        sleep(settling)
        let costs = try costs(of: hosts + [status.brokerPid, status.supervisorPid], seconds: seconds)
        var line = Line("relux.idle")
        line.add("hosts", hosts.count)
        line.add("seconds", seconds)
        add(costs.prefix(hosts.count), to: &line)
        line.add("broker_cpu_percent", costs[hosts.count].percent)
        line.add("broker_wakeups", costs[hosts.count].wakeUps)
        line.add("supervisor_cpu_percent", costs[hosts.count + 1].percent)
        line.add("supervisor_wakeups", costs[hosts.count + 1].wakeUps)
        line.printed()
    }

    /// In a second of the next ones: percent of a core, and wake-ups.
    static func costs(of processes: [Int32], seconds: Int) throws -> [(percent: Double, wakeUps: Double)] {
        let before = try processes.map(use)
        sleep(UInt32(seconds))
        return try zip(before, processes.map(use)).map { before, after in
            var (processor, wakeUps) = (0.0, 0.0)
            for (thread, use) in after {
                processor += use.processor - (before[thread]?.processor ?? 0)
                wakeUps += use.wakeUps - (before[thread]?.wakeUps ?? 0)
            }
            return (processor / Double(seconds) / 1e7, wakeUps / Double(seconds))
        }
    }

    static func add(_ hosts: ArraySlice<(percent: Double, wakeUps: Double)>, to line: inout Line) {
        line.add("host_cpu_percent_median", median(hosts.map(\.percent)))
        line.add("host_wakeups_median", median(hosts.map(\.wakeUps)))
        line.add("host_wakeups_max", hosts.map(\.wakeUps).max() ?? 0)
    }

    /// By thread, for all threads that the process has now. The use of a thread that ends before the second call is lost.
    private static func use(_ pid: Int32) throws -> [String: Use] {
        let folder = "/proc/\(pid)/task"
        guard let open = opendir(folder) else { throw BenchError("the threads of process \(pid) cannot be listed: \(String(cString: strerror(errno)))") }
        defer { closedir(open) }
        var uses: [String: Use] = [:]
        while let entry = readdir(open) {
            let name = withUnsafeBytes(of: entry.pointee.d_name) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
            guard Int32(name) != nil else { continue }
            uses[name] = Use(
                processor: number("\(folder)/\(name)/schedstat") { $0.first } ?? 0,
                wakeUps: number("\(folder)/\(name)/status") { $0.first == "voluntary_ctxt_switches:" ? $0.last : nil } ?? 0)
        }
        return uses
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
