import Glibc
import Relux
import ReluxControl

/// The time that the hosts of a running cluster took to become ready, and the memory that they take when idle.
enum HostsBench {
    static func run(_ directory: String) throws {
        var talk = try BrokerTalk(directory)
        let status = try talk.status()
        let modules = status.modules.filter { $0.state.phase == .ready }
        var boots: [Double] = []
        var sizes: [Int] = []
        for module in modules {
            let size = try proportionalKilobytes(module.pid)
            boots.append(Double(module.readyMilliseconds))
            sizes.append(size)
            var line = Line("relux.host")
            line.add("module", module.id.rawValue)
            line.add("ready_ms", module.readyMilliseconds)
            line.add("pss_kib", size)
            line.printed()
        }
        var line = Line("relux.hosts")
        line.add("hosts", modules.count)
        line.add("ready_ms_median", median(boots))
        line.add("ready_ms_max", boots.max() ?? 0)
        line.add("pss_kib_median", median(sizes.map(Double.init)))
        line.add("pss_kib_max", sizes.max() ?? 0)
        line.add("broker_pss_kib", try proportionalKilobytes(status.brokerPid))
        line.printed()
    }

    /// Its share of the memory that it maps, as the kernel counts it.
    static func proportionalKilobytes(_ pid: Int32) throws -> Int {
        guard let file = fopen("/proc/\(pid)/smaps_rollup", "r") else {
            throw BenchError("the memory of process \(pid) cannot be read: \(String(cString: strerror(errno)))")
        }
        defer { fclose(file) }
        var line = [CChar](repeating: 0, count: 256)
        while fgets(&line, Int32(line.count), file) != nil {
            let words = String(decoding: line.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self).split(separator: " ")
            if words.count >= 2, words[0] == "Pss:", let size = Int(words[1]) { return size }
        }
        throw BenchError("process \(pid) has no Pss")
    }

    private static func median(_ values: [Double]) -> Double {
        let sorted = values.sorted()
        return sorted.isEmpty ? 0 : sorted[sorted.count / 2]
    }
}
