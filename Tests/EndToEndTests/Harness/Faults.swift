import Foundation
import Glibc
import ReluxBus
import ReluxTestKit

/// Kills and freezes processes of a cluster, and keeps what was done to whom, and when.
final class Faults {
    struct Fault: CustomStringConvertible {
        let kind: FaultPlan.Kind
        let target: String
        let pid: Int32
        let seconds: Double
        var isInsideAwait = false
        var description: String {
            String(format: "%8.3f s  ", seconds) + "\(kind) \(target) \(pid)" + (isInsideAwait ? ", a handler was inside an await" : "")
        }
    }

    private(set) var all: [Fault] = []
    let handlers: OpenHandlers
    private let run: RunDirectory
    private let began = Diary.now()
    /// How often a handler was running when its process was killed.
    private var hits: [OpenHandlers.Handler: Int] = [:]

    init(_ cluster: Cluster, _ diary: Diary) throws {
        run = cluster.run
        handlers = try OpenHandlers(diary)
    }

    deinit { handlers.end() }

    static let broker = "the broker"
    static let supervisor = "the supervisor"

    /// Whether handlers run in it.
    static func isHost(_ target: String) -> Bool { target != broker && target != supervisor }

    /// The process, nil when there is none just now.
    static func pid(_ target: String, in run: String) -> Int32? {
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
        let dead = Set(all.lazy.filter { $0.kind == .kill && $0.target == target }.map(\.pid))
        // Whoever starts makes its socket, or writes its pid.
        let folders = [run.path, run.sockets]
        return try await offPool { [path = run.path] in
            try poll(for: "\(target) to come back after the death of \(dead.count)", watching: folders) {
                Self.pid(target, in: path).flatMap { dead.contains($0) ? nil : $0 }
            }
        }
    }

    /// SIGKILL; returns when the process has ended.
    ///
    /// - Parameter isFault: false for what follows from another fault; it is not counted.
    /// - Returns: false when there was no such process any more: nothing was done then.
    @discardableResult
    func kill(_ target: String, _ pid: Int32, isFault: Bool = true) async throws -> Bool {
        guard Glibc.kill(pid, SIGKILL) == 0 else { return false }
        let time = Diary.now()
        try await offPool { try ProcessEnd.wait(for: pid, until: .now + watchdog) }
        // All that it wrote is there now.
        let inside = Self.isHost(target) ? handlers.bury(pid) : handlers.open(in: nil)
        if Self.isHost(target) { for handler in inside { hits[handler, default: 0] += 1 } }
        if isFault {
            all.append(
                Fault(kind: .kill, target: target, pid: pid, seconds: Double(time - began) / 1e9, isInsideAwait: !inside.isEmpty))
        }
        return true
    }

    /// SIGSTOP; the process goes on when the value is told to, or gone.
    ///
    /// - Returns: nil when there was no such process any more.
    func freeze(_ target: String, _ pid: Int32) -> Freeze? {
        guard ProcessTable.isAlive(pid) else { return nil }
        let time = Diary.now()
        let freeze = Freeze(pid)
        let inside = handlers.open(in: Self.isHost(target) ? pid : nil)
        all.append(
            Fault(kind: .freeze, target: target, pid: pid, seconds: Double(time - began) / 1e9, isInsideAwait: !inside.isEmpty))
        return freeze
    }

    /// Everything is down.
    func noProcessIsLeft() {
        handlers.catchUp()
        handlers.seen.update { seen in
            seen.dead.formUnion(seen.open.keys)
            seen.open = [:]
        }
    }

    /// Handlers that were running at so many deaths: the fifth may end in a dead letter, for nobody can tell that they are innocent.
    func handlers(hit count: Int) -> [OpenHandlers.Handler] { hits.filter { $0.value >= count }.map(\.key) }
    func acquit(_ handler: OpenHandlers.Handler) { hits[handler] = nil }

    func count(_ kind: FaultPlan.Kind, _ target: String? = nil) -> Int {
        all.count { $0.kind == kind && (target == nil || $0.target == target) }
    }
    var insideAwait: Int { all.count(where: \.isInsideAwait) }

    func printLog() { print(all.map { "    \($0)" }.joined(separator: "\n")) }

    /// One line for each target.
    func printTable() {
        func row(_ words: [String]) -> String {
            "    " + words.enumerated().map { $0.offset == 0 ? $0.element.padding(toLength: 22, withPad: " ", startingAt: 0) : $0.element }
                .enumerated().map { $0.offset == 0 ? $0.element : String(repeating: " ", count: max(0, 14 - $0.element.count)) + $0.element }
                .joined()
        }
        print(row(["target", "kills", "freezes", "inside await"]))
        for target in Set(all.map(\.target)).sorted() {
            let inside = all.count { $0.target == target && $0.isInsideAwait }
            print(row([target, "\(count(.kill, target))", "\(count(.freeze, target))", "\(inside)"]))
        }
        print(row(["all \(all.count)", "\(count(.kill))", "\(count(.freeze))", "\(insideAwait)"]))
    }
}
