import Foundation
import Glibc

/// The machine's processes, as far as they belong to a cluster.
enum ProcessTable {
    /// One process, told from a later one of the same number by the time of its start.
    struct Life: Sendable, Hashable {
        let pid: Int32
        let started: Int
    }

    struct Entry: Sendable, Hashable, CustomStringConvertible {
        let pid: Int32
        let parent: Int32
        let arguments: [String]
        /// In the kernel's ticks.
        let started: Int

        var life: Life { Life(pid: pid, started: started) }

        /// The name of the program.
        var executable: String { arguments.first.map { URL(fileURLWithPath: $0).lastPathComponent } ?? "" }
        /// The word that follows `--host`; a supervisor is told the program of its hosts by that.
        var host: String? {
            guard executable != "relux-supervisor", let flag = arguments.firstIndex(of: "--host") else { return nil }
            return arguments.indices.contains(flag + 1) ? arguments[flag + 1] : nil
        }

        var description: String { "\(pid): \(arguments.joined(separator: " "))" }
    }

    /// Broker, supervisor and hosts of the cluster in the run directory: all of them name it in their arguments.
    /// A process that has ended and only waits to be reaped does not count.
    static func cluster(in run: String) -> [Entry] {
        let numbers = ((try? FileManager.default.contentsOfDirectory(atPath: "/proc")) ?? []).compactMap { Int32($0) }
        return numbers.compactMap(entry).filter { $0.arguments.contains(run) && $0.arguments.contains("--run") }
            .filter { !($0.arguments.first?.hasSuffix("/relux") ?? true) }
    }

    static func isAlive(_ pid: Int32) -> Bool { stat(of: pid) != nil }

    /// The process that has the number now; nil when there is none. A number is given again, and in long runs it is.
    static func life(_ pid: Int32) -> Life? { stat(of: pid).map { Life(pid: pid, started: started($0)) } }

    private static func started(_ fields: [Substring]) -> Int { fields.count > 19 ? Int(fields[19]) ?? 0 : 0 }

    /// A process that executes a program has no arguments for a moment, and is asked again; not for ever, for there may be others without any.
    private static func entry(_ pid: Int32) -> Entry? {
        for _ in 0..<5000 {
            // In this order: the second explains why there is nothing in the first.
            let line = FileManager.default.contents(atPath: "/proc/\(pid)/cmdline") ?? Data()
            guard let fields = stat(of: pid) else { return nil }
            if !line.isEmpty {
                let arguments = line.split(separator: 0).map { String(decoding: $0, as: UTF8.self) }
                return Entry(pid: pid, parent: Int32(fields[1]) ?? 0, arguments: arguments, started: started(fields))
            }
            if hasNoArguments(fields) { return nil }
            usleep(1000)
        }
        return nil
    }

    /// Whether that is so for good: it ends, is the kernel's, or its program has begun without. The end of the code is written down after the
    /// place of the arguments; it is 1, and the place 0, for who may not know.
    private static func hasNoArguments(_ fields: [Substring]) -> Bool {
        // As the manual counts them: the state, which is the first one here, is the third.
        func field(_ number: Int) -> UInt { fields.indices.contains(number - 3) ? UInt(fields[number - 3]) ?? 0 : 0 }
        let (isExiting, isOfKernel): (UInt, UInt) = (0x4, 0x20_0000)
        return field(9) & (isExiting | isOfKernel) != 0 || field(27) != 0 && field(48) == field(49)
    }

    /// The fields of `/proc/<pid>/stat` after the name, from the state on; nil for what is gone or a zombie.
    private static func stat(of pid: Int32) -> [Substring]? {
        guard let data = FileManager.default.contents(atPath: "/proc/\(pid)/stat") else { return nil }
        let text = String(decoding: data, as: UTF8.self)
        guard let end = text.lastIndex(of: ")") else { return nil }
        let fields = text[text.index(after: end)...].split(separator: " ")
        guard fields.count > 1, fields[0] != "Z", fields[0] != "X" else { return nil }
        return fields
    }
}

/// A process that does not run for a while; it goes on at the latest when the value is gone.
final class Freeze: Sendable {
    private let pid: Int32

    init(_ pid: Int32) {
        self.pid = pid
        kill(pid, SIGSTOP)
        // Its threads stop one by one, each when it is its turn on a busy machine; one that runs meanwhile may still answer. The end of an earlier
        // freeze may come in between.
        let end = ContinuousClock.now + watchdog
        while Self.states(pid).contains(where: { !"TtZX".contains($0) }), ContinuousClock.now < end {
            usleep(500)
            kill(pid, SIGSTOP)
        }
    }

    /// The names of its threads; none for a process that is gone.
    private static func states(_ pid: Int32) -> [Character] {
        let folder = "/proc/\(pid)/task"
        return ((try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []).compactMap { thread in
            // Behind the name, which stands in parentheses and may hold anything.
            guard let text = try? String(contentsOfFile: "\(folder)/\(thread)/stat", encoding: .utf8), let end = text.lastIndex(of: ")") else { return nil }
            return text[text.index(after: end)...].first { $0 != " " }
        }
    }

    deinit { thaw() }

    func thaw() { kill(pid, SIGCONT) }
}
