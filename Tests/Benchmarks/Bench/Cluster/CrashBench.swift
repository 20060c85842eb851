import Glibc
import Relux
import ReluxControl

/// How long a module of a running cluster is away when its process is killed, the supervisor's delay before the next start included.
enum CrashBench {
    /// Kills every host once, one after the other.
    static func run(_ directory: String) throws {
        var talk = try BrokerTalk(directory)
        let modules = try talk.status().modules.filter { $0.state.phase == .ready }
        var times: [Duration] = []
        var starts: [Duration] = []
        for module in modules {
            _ = try talk.status(when: "cluster with all its modules ready") { $0.modules.allSatisfy { $0.state.phase == .ready } }
            let start = Monotonic.now()
            kill(module.pid, SIGKILL)
            let after = try talk.status(when: "\(module.id) ready again") { status in
                status.modules.contains { $0.id == module.id && $0.state.phase == .ready && $0.pid != module.pid && $0.pid != 0 }
            }
            times.append(Monotonic.now() - start)
            for found in after.modules where found.id == module.id {
                starts.append(.milliseconds(Int64(clamping: found.readyMilliseconds)))
            }
        }
        let percentiles = Percentiles(times)
        var line = Line("relux.crash")
        line.add("crashes", times.count)
        line.add("ready_ms_median", percentiles.microseconds(0.5) / 1000)
        line.add("ready_ms_max", percentiles.microseconds(1) / 1000)
        line.add("start_ms_median", Percentiles(starts).median / .milliseconds(1))
        line.printed()
    }
}
