import Foundation
import Glibc
import ReluxControl
import ReluxTestKit

/// Kills and freezes processes of a cluster, and keeps what was done to whom, and when.
final class Faults {
    struct Fault: CustomStringConvertible {
        let kind: FaultPlan.Kind
        let target: String
        /// 0 for what is done to no process.
        let pid: Int32
        /// On the machine's monotonic clock.
        let nanoseconds: Int
        var isInsideAwait = false
        var description: String {
            "\(kind) \(target)" + (pid > 0 ? " \(pid)" : "") + (isInsideAwait ? ", a handler was inside an await" : "")
        }
    }

    private(set) var all: [Fault] = []
    let handlers: OpenHandlers
    private let cluster: Cluster
    private var run: RunDirectory { cluster.run }
    private let began = Diary.now()
    private var dead: Set<ProcessTable.Life> = []
    /// Those that were found, by number: nobody else is meant.
    private var found: [Int32: ProcessTable.Life] = [:]
    /// How often a handler was running when its process was killed.
    private var hits: [OpenHandlers.Handler: Int] = [:]

    init(_ cluster: Cluster, _ diary: Diary) throws {
        self.cluster = cluster
        handlers = try OpenHandlers(diary)
    }

    deinit { handlers.end() }

    static let broker = "the broker"
    static let supervisor = "the supervisor"
    static let disk = "the disk"

    /// The host that a module was given at first, and those into which it is upgraded.
    static func anyHost(of module: String) -> String { "\(module).*" }

    /// Whether handlers run in it.
    static func isHost(_ target: String) -> Bool { target != broker && target != supervisor && target != disk }

    /// The process, nil when there is none just now.
    static func pid(_ target: String, in run: String) -> Int32? { lives(of: target, in: run).first?.pid }

    /// All that fit, the oldest first.
    private static func lives(of target: String, in run: String) -> [ProcessTable.Life] {
        let all = ProcessTable.cluster(in: run)
        let supervisors = Set(all.filter { $0.executable == "relux-supervisor" }.map(\.pid))
        return all.filter { process in
            switch target {
            case Self.broker: return process.executable == "relux-broker"
            // A child between fork and exec still has its parent's name.
            case Self.supervisor: return supervisors.contains(process.pid) && !supervisors.contains(process.parent)
            default:
                guard let host = process.host else { return false }
                return host == target || target.hasSuffix(".*") && (host + ".").hasPrefix(target.dropLast())
            }
        }.sorted { $0.started < $1.started }.map(\.life)
    }

    /// A life of the target that is not among those that were ended.
    ///
    /// - Parameter isYounger: the latest, where there are two.
    func life(of target: String, isYounger: Bool = false) async throws -> Int32 {
        let (dead, deaths) = (dead, count(.kill, target))
        // Whoever starts makes its socket, or writes its pid.
        let folders = [run.path, run.sockets]
        do {
            let life = try await offPool { [path = run.path] in
                try poll(for: "\(target) to come back after the death of \(deaths)", watching: folders) {
                    let lives = Self.lives(of: target, in: path).filter { !dead.contains($0) }
                    return isYounger ? lives.last : lives.first
                }
            }
            found[life.pid] = life
            return life.pid
        } catch {
            throw HarnessError("\(error)\(await cluster.whereabouts(of: target))")
        }
    }

    /// SIGKILL; returns when the process has ended.
    ///
    /// - Parameter isFault: false for what follows from another fault; it is not counted.
    /// - Returns: false when there was no such process any more: nothing was done then.
    @discardableResult
    func kill(_ target: String, _ pid: Int32, isFault: Bool = true) async throws -> Bool {
        guard let life = ProcessTable.life(pid), found[pid].map({ $0 == life }) ?? true, Glibc.kill(pid, SIGKILL) == 0 else { return false }
        dead.insert(life)
        let time = Diary.now()
        try await offPool { try ProcessEnd.wait(for: pid, until: .now + watchdog) }
        // All that it wrote is there now.
        let inside = Self.isHost(target) ? handlers.bury(pid) : handlers.open(in: nil)
        if Self.isHost(target) { for handler in inside { hits[handler, default: 0] += 1 } }
        if isFault { note(.kill, target, pid, time, inside) }
        return true
    }

    /// Keeps what was done to whom, while these handlers ran.
    private func note(_ kind: FaultPlan.Kind, _ target: String, _ pid: Int32, _ time: Int, _ inside: Set<OpenHandlers.Handler>) {
        all.append(Fault(kind: kind, target: target, pid: pid, nanoseconds: time, isInsideAwait: !inside.isEmpty))
    }

    /// Keeps what is done to a process that goes on.
    func note(_ kind: FaultPlan.Kind, _ target: String, _ pid: Int32) {
        note(kind, target, pid, Diary.now(), handlers.open(in: Self.isHost(target) ? pid : nil))
    }

    /// Keeps what is done to no process.
    func note(_ kind: FaultPlan.Kind, _ target: String) { note(kind, target, 0, Diary.now(), handlers.open(in: nil)) }

    /// SIGSTOP; the process goes on when the value is told to, or gone.
    ///
    /// - Returns: nil when there was no such process any more.
    func freeze(_ target: String, _ pid: Int32) -> Freeze? {
        guard let life = ProcessTable.life(pid), found[pid].map({ $0 == life }) ?? true else { return nil }
        let time = Diary.now()
        let freeze = Freeze(pid)
        let inside = handlers.open(in: Self.isHost(target) ? pid : nil)
        note(.freeze, target, pid, time, inside)
        return freeze
    }

    /// Everything is down.
    func noProcessIsLeft() {
        handlers.catchUp()
        handlers.seen.update { seen in
            for pid in seen.open.keys { seen.dead[pid] = Diary.now() }
            seen.open = [:]
        }
    }

    /// How many deaths each handler was running at: the fifth may end in a dead letter, for nobody can tell that they are innocent.
    func handlers(hit count: Int) -> [OpenHandlers.Handler] { hits.filter { $0.value >= count }.map(\.key) }
    func acquit(_ handler: OpenHandlers.Handler) { hits[handler] = nil }

    func count(_ kind: FaultPlan.Kind, _ target: String? = nil) -> Int {
        all.count { $0.kind == kind && (target == nil || $0.target == target) }
    }
    var insideAwait: Int { all.count(where: \.isInsideAwait) }

    func printLog() {
        print(all.map { String(format: "    %8.3f s  ", Double($0.nanoseconds - began) / 1e9) + "\($0)" }.joined(separator: "\n"))
    }

    /// One line for each target, one column for each kind.
    func printTable() {
        func row(_ first: String, _ words: [String]) {
            print("    " + first.padding(toLength: 22, withPad: " ", startingAt: 0) + words.map { String(repeating: " ", count: max(0, 14 - $0.count)) + $0 }.joined())
        }
        row("target", FaultPlan.Kind.allCases.map(\.rawValue) + ["inside await"])
        for target in Set(all.map(\.target)).sorted() {
            let inside = all.count { $0.target == target && $0.isInsideAwait }
            row(target, FaultPlan.Kind.allCases.map { "\(count($0, target))" } + ["\(inside)"])
        }
        row("all \(all.count)", FaultPlan.Kind.allCases.map { "\(count($0))" } + ["\(insideAwait)"])
    }
}
