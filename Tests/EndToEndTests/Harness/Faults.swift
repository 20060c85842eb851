import Foundation
import Glibc
import ReluxBus

/// Kills and freezes processes of a cluster, and keeps what was done to whom, and when.
final class Faults {
    struct Fault: CustomStringConvertible {
        let what: String
        let target: String
        let pid: Int32
        let seconds: Double
        var isInsideAwait = false
        var description: String {
            String(format: "%8.3f s  ", seconds) + "\(what) \(target) \(pid)" + (isInsideAwait ? ", a handler was inside an await" : "")
        }
    }

    private(set) var all: [Fault] = []
    private let run: String
    private let handlers: OpenHandlers
    private let began = Diary.now()

    init(_ cluster: Cluster, _ diary: Diary) {
        run = cluster.run.path
        handlers = OpenHandlers(diary)
    }

    static let broker = "the broker"
    static let supervisor = "the supervisor"

    /// The process, nil when there is none just now.
    func pid(_ target: String) -> Int32? {
        ProcessTable.cluster(in: run).first { process in
            let name = process.arguments.first.map { URL(fileURLWithPath: $0).lastPathComponent }
            switch target {
            case Self.broker: return name == "relux-broker"
            case Self.supervisor: return name == "relux-supervisor"
            default: return process.arguments.contains(target) && process.arguments.contains("--host")
            }
        }?.pid
    }

    /// A life of the target that is not among those that were ended.
    func life(of target: String) async throws -> Int32 {
        let dead = Set(all.lazy.filter { $0.what == "kill" && $0.target == target }.map(\.pid))
        let clock = ContinuousClock()
        let end = clock.now + watchdog
        while clock.now < end {
            if let pid = pid(target), !dead.contains(pid) { return pid }
            try await Task.sleep(for: .milliseconds(5))
        }
        throw HarnessError("\(target) did not come back after the death of \(dead.count)")
    }

    /// Returns when a handler of the process is between its lines, or when the process is gone.
    func isBusy(_ pid: Int32) async throws {
        let clock = ContinuousClock()
        let end = clock.now + watchdog
        while try handlers.count(in: pid) == 0, ProcessTable.isAlive(pid) {
            guard clock.now < end else { throw HarnessError("process \(pid) handles nothing") }
            try await Task.sleep(for: .milliseconds(2))
        }
    }

    /// SIGKILL; returns when the process has ended.
    func kill(_ target: String, _ pid: Int32) async throws {
        Glibc.kill(pid, SIGKILL)
        let time = Diary.now()
        try await offPool { try ProcessEnd.wait(for: pid, until: .now + watchdog) }
        var fault = Fault(what: "kill", target: target, pid: pid, seconds: Double(time - began) / 1e9)
        // All that it wrote is there now.
        fault.isInsideAwait = try handlers.count(in: pid) > 0
        all.append(fault)
    }

    func freeze(_ target: String, _ pid: Int32) -> Freeze {
        all.append(Fault(what: "stop", target: target, pid: pid, seconds: Double(Diary.now() - began) / 1e9))
        return Freeze(pid)
    }

    func thawed(_ target: String, _ pid: Int32) {
        all.append(Fault(what: "continue", target: target, pid: pid, seconds: Double(Diary.now() - began) / 1e9))
    }

    func count(_ what: String, _ target: String? = nil) -> Int {
        all.count { $0.what == what && (target == nil || $0.target == target) }
    }

    func printLog() {
        print(all.map { "    \($0)" }.joined(separator: "\n"))
        for target in Set(all.map(\.target)).sorted() {
            print("    \(target): \(count("kill", target)) kills, \(count("stop", target)) stops")
        }
        let inside = all.count(where: \.isInsideAwait)
        print("    \(inside) of \(count("kill")) kills while a handler was inside an await")
    }
}

extension SeededRandom {
    /// A number in 0..<limit.
    mutating func below(_ limit: Int) -> Int { Int.random(in: 0..<limit, using: &self) }
}
