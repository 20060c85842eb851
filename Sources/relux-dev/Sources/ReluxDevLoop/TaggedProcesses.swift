import Foundation
import Glibc

/// Processes by a variable of their environment, which children inherit.
///
/// None is missed, whatever it does at the moment:
/// - A process that executes another program has no environment for a while (``ProcessReading``), and is looked at again.
/// - A process that ends before it is looked at may have a child that is not in the listing, and there is another listing.
enum TaggedProcesses {
    /// How often those that are in doubt are looked at again, a millisecond or more apart. Counted, not timed: on a machine that is busy or
    /// stands still the others need longer, too. Only a process that the kernel never says anything of, or a fork bomb, uses them up.
    static let patience = 5000

    /// Blocks: for some milliseconds, and some seconds at most when somebody stays in doubt, who is left out then.
    ///
    /// - Parameter tag: `NAME=VALUE`.
    static func all(_ tag: String) -> [pid_t] {
        let wanted = Array(tag.utf8)
        return search(
            list: { try? FileManager.default.contentsOfDirectory(atPath: "/proc").compactMap(pid_t.init) },
            look: { look($0, wanted) },
            rest: { usleep(1000) })
    }

    /// The search without its means.
    ///
    /// An untagged process never becomes tagged. So when no process of a listing has ended or is in doubt, each one born after it has an untagged
    /// parent, or one that was found.
    /// - Parameters:
    ///   - list: the processes there are now; nil when they cannot be listed, as without a free descriptor.
    ///   - rest: lets those go on that are in doubt.
    static func search(list: () -> [pid_t]?, look: (pid_t) -> ProcessReading.Verdict, rest: () -> Void) -> [pid_t] {
        var (found, seen, doubtful): ([pid_t], Set<pid_t>, [pid_t]) = ([], [], [])
        for _ in 0...patience {
            let listed = list()
            var hasEnded = false
            doubtful = (doubtful + (listed ?? []).filter { seen.insert($0).inserted }).filter { pid in
                switch look(pid) {
                case .tagged: found.append(pid)
                case .untagged: break
                case .ended: hasEnded = true
                case .doubtful: return true
                }
                return false
            }
            if listed != nil, doubtful.isEmpty, !hasEnded { break }
            if listed == nil || !doubtful.isEmpty { rest() }
        }
        return found
    }

    private static func look(_ pid: pid_t, _ tag: [UInt8]) -> ProcessReading.Verdict {
        let verdict = read(pid).verdict(tag)
        guard verdict == .doubtful else { return verdict }
        // The first thread may have ended before the others, for good or while one of them executes a program, and theirs is the environment.
        let threads = (try? FileManager.default.contentsOfDirectory(atPath: "/proc/\(pid)/task")) ?? []
        for thread in threads {
            guard let environment = contents("/proc/\(pid)/task/\(thread)/environ"), !environment.isEmpty else { continue }
            return ProcessReading(environment: environment, status: .unread).verdict(tag)
        }
        return .doubtful
    }

    private static func read(_ pid: pid_t) -> ProcessReading {
        // In this order: the second explains why there is nothing in the first.
        let environment = contents("/proc/\(pid)/environ") ?? []
        guard environment.isEmpty else { return ProcessReading(environment: environment, status: .unread) }
        let text = contents("/proc/\(pid)/stat").map { String(decoding: $0, as: UTF8.self) }
        // That it cannot be opened proves nothing: there may be no descriptor left.
        let isGone = kill(pid, 0) == -1 && errno == ESRCH
        return ProcessReading(environment: [], status: text.map { .text($0) } ?? (isGone ? .gone : .unread))
    }

    /// All of it in one read: between two the process may execute another program, and what was begun has no more end then.
    ///
    /// - Returns: nil when it cannot be read.
    private static func contents(_ path: String) -> [UInt8]? {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        var size = 1 << 14
        while true {
            var length = 0
            let bytes = [UInt8](unsafeUninitializedCapacity: size) { buffer, count in
                length = pread(descriptor, buffer.baseAddress, size, 0)
                count = max(0, length)
            }
            if length < size { return length < 0 ? nil : bytes }
            size *= 4
        }
    }
}
