import Foundation
import ReluxTestKit
import Synchronization

/// Follows a diary as it grows: which handlers of which process are between their two lines, and what is settled.
///
/// A thread of its own reads whenever the diary's directory changes, until the value is gone.
final class OpenHandlers: Sendable {
    /// A handler of Counter, or a series of a publisher.
    struct Handler: Hashable, Sendable {
        let isSeries: Bool
        let key: Diary.Key
    }
    struct Seen: Sendable {
        var open: [Int32: Set<Handler>] = [:]
        /// The effects that publishers have seen answered.
        var answered: Set<Diary.Key> = []
        var problem: String?
        /// When they were known to be dead: what they have written before, and is read later, opens nothing any more. Numbers come again.
        var dead: [Int32: Int] = [:]

        mutating func take(_ line: Diary.Line) {
            if line.what == "answered" { answered.insert(line.key) }
            if let end = dead[line.pid] {
                guard line.nanoseconds > end else { return }
                dead[line.pid] = nil
            }
            switch line.what {
            case "start": open[line.pid, default: []].insert(Handler(isSeries: false, key: line.key))
            case "end": open[line.pid]?.remove(Handler(isSeries: false, key: line.key))
            case "begin": open[line.pid, default: []].insert(Handler(isSeries: true, key: line.key))
            case "done": open[line.pid]?.remove(Handler(isSeries: true, key: line.key))
            default: break
            }
        }
    }

    let seen = Watched(Seen())
    // Only used under the lock.
    private struct Reader: @unchecked Sendable { let reader: DiaryReader }
    private let reader: Mutex<Reader>
    private let isOver = Mutex(false)

    init(_ diary: Diary) throws {
        reader = Mutex(Reader(reader: DiaryReader(diary, patience: .zero)))
        try FileManager.default.createDirectory(atPath: diary.path, withIntermediateDirectories: true)
        let watch = try DirectoryWatch([diary.path])
        // Sent to the thread, which alone has it from here on.
        struct Sent: @unchecked Sendable { let watch: DirectoryWatch }
        let sent = Sent(watch: watch)
        Thread { [weak self] in
            while let self, !self.isOver.withLock({ $0 }) {
                self.catchUp()
                sent.watch.wait(limit: .milliseconds(200))
            }
        }.start()
    }

    func end() { isOver.withLock { $0 = true } }

    /// Takes in all that is written by now.
    func catchUp() {
        reader.withLock { reader in
            do {
                let lines = try reader.reader.fresh()
                if !lines.isEmpty { seen.update { seen in lines.forEach { seen.take($0) } } }
            } catch {
                seen.update { $0.problem = "\(error)" }
            }
        }
    }

    /// The handlers that ran in the process; nil stands for all processes.
    func open(in pid: Int32?) -> Set<Handler> {
        catchUp()
        let open = seen.value.open
        return pid.map { open[$0] ?? [] } ?? Set(open.values.joined())
    }

    /// The process is dead: what it was handling is not being handled any more. Returns that.
    func bury(_ pid: Int32) -> Set<Handler> {
        catchUp()
        return seen.update { seen in
            seen.dead[pid] = Diary.now()
            return seen.open.removeValue(forKey: pid) ?? []
        }
    }

    /// Returns when a handler of the process, or of any, is between its lines.
    ///
    /// - Returns: false when the process has ended before.
    /// - Throws: `WatchdogError` when nobody has begun one after `limit`.
    @discardableResult
    func isBusy(_ pid: Int32?, limit: Duration = watchdog) async throws -> Bool {
        let clock = ContinuousClock()
        let end = clock.now + limit
        while true {
            do {
                try await seen.wait(for: "a handler\(pid.map { " of process \($0)" } ?? "") to begin", limit: .seconds(1)) { seen in
                    if seen.problem != nil { return true }
                    return pid.map { seen.open[$0]?.isEmpty == false } ?? seen.open.values.contains { !$0.isEmpty }
                }
                if let problem = seen.value.problem { throw HarnessError(problem) }
                return true
            } catch let error as WatchdogError {
                // Whoever starts and ends processes may have ended this one for reasons of its own.
                if let pid, !ProcessTable.isAlive(pid) { return false }
                guard clock.now < end else { throw error }
            }
        }
    }
}
