import Glibc
import Relux
import ReluxControl

/// How long one host takes from its process's start to ready while all others idle: what the start itself costs, without the competition for
/// the processors when a whole cluster comes up.
enum StartBench {
    /// Restarts every host in its turn, `rounds` times; none of its modules must share its process with another.
    static func run(_ directory: String, _ rounds: Int) throws {
        var talk = try BrokerTalk(directory)
        let modules = try talk.status().modules.filter { $0.state.phase == .ready }
        var times: [Duration] = []
        var medians: [Duration] = []
        var cpu: [Duration] = []
        for module in modules {
            var own: [Duration] = []
            for _ in 0..<rounds {
                let before = try talk.status(when: "cluster with all its modules ready") { $0.modules.allSatisfy { $0.state.phase == .ready } }
                let pid = before.modules.first { $0.id == module.id }?.pid ?? 0
                let answer = try talk.ask(.restart(module: module.id, yes: false))
                guard case .done = answer else { throw BenchError("\(module.id) was not restarted: \(answer)") }
                let after = try talk.status(when: "\(module.id) ready again") { status in
                    status.modules.contains { $0.id == module.id && $0.state.phase == .ready && $0.pid != pid && $0.pid != 0 }
                }
                guard let found = after.modules.first(where: { $0.id == module.id }) else { continue }
                own.append(.milliseconds(Int64(clamping: found.readyMilliseconds)))
                cpu.append(try processorTime(of: found.pid))
            }
            times += own
            medians.append(Percentiles(own).median)
            var line = Line("relux.start.host")
            line.add("module", module.id.rawValue)
            line.add("ready_ms", Percentiles(own).median / .milliseconds(1))
            line.printed()
        }
        var line = Line("relux.start")
        line.add("starts", times.count)
        line.add("ready_ms_median", Percentiles(times).median / .milliseconds(1))
        line.add("ready_ms_p90", Percentiles(times).microseconds(0.9) / 1000)
        line.add("ready_ms_slowest_host", (medians.max() ?? .zero) / .milliseconds(1))
        line.add("cpu_ms_median", Percentiles(cpu).median / .milliseconds(1))
        line.printed()
    }

    /// The processor time of all threads of the process so far.
    private static func processorTime(of pid: Int32) throws -> Duration {
        var clock = clockid_t()
        var time = timespec()
        guard clock_getcpuclockid(pid, &clock) == 0, clock_gettime(clock, &time) == 0 else {
            throw BenchError("the processor time of process \(pid) cannot be read")
        }
        return .seconds(time.tv_sec) + .nanoseconds(time.tv_nsec)
    }
}

extension Percentiles {
    var median: Duration { .nanoseconds(Int64(microseconds(0.5) * 1000)) }
}
