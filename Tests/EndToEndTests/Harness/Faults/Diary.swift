import CSQLite
import Foundation

/// The lines that the fixtures' handlers have written, each module's in a database of its own.
struct Diary: Sendable {
    struct Key: Hashable, Comparable, Sendable, CustomStringConvertible {
        let publisher: String
        let run: Int
        let number: Int
        static func < (a: Self, b: Self) -> Bool { (a.publisher, a.run, a.number) < (b.publisher, b.run, b.number) }
        var description: String { "\(publisher)/\(run)/\(number)" }
    }

    struct Line: Sendable {
        /// Counter writes `start`, `end`; a publisher `begin`, `answered`, `failed`, `done`.
        let what: String
        let key: Key
        /// The effect that was handled.
        let effect: String
        let pid: Int32
        /// On the machine's monotonic clock.
        let nanoseconds: Int
    }

    /// The directory of the databases.
    let path: String

    /// All lines, in the order of their times.
    func lines() throws -> [Line] {
        let reader = DiaryReader(self, patience: watchdog)
        return try reader.fresh().sorted { $0.nanoseconds < $1.nanoseconds }
    }

    static func now() -> Int {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return time.tv_sec * 1_000_000_000 + time.tv_nsec
    }
}

/// Reads a diary as it grows. Owned by one thread at a time.
final class DiaryReader {
    private let diary: Diary
    private let patience: Duration
    private var databases: [String: OpaquePointer] = [:]
    private var read: [String: Int64] = [:]

    /// - Parameter patience: with a writer that holds a lock. A writer that was frozen with it holds it until it goes on: who is to let it go on
    ///   must not wait for it, and reads the rest later.
    init(_ diary: Diary, patience: Duration) {
        self.diary = diary
        self.patience = patience
    }

    deinit { for database in databases.values { sqlite3_close(database) } }

    /// The lines that have been written since the last call, each module's in their order.
    func fresh() throws -> [Diary.Line] {
        let names = ((try? FileManager.default.contentsOfDirectory(atPath: diary.path)) ?? []).filter { $0.hasSuffix(".sqlite") }
        return try names.sorted().flatMap { try fresh(in: $0) }
    }

    private func fresh(in name: String) throws -> [Diary.Line] {
        guard let database = try database(name) else { return [] }
        var statement: OpaquePointer?
        let text = "SELECT id, what, publisher, run, number, effect, pid, time FROM line WHERE id > \(read[name] ?? 0) ORDER BY id"
        let prepared = sqlite3_prepare_v2(database, text, -1, &statement, nil)
        if prepared == SQLITE_BUSY, patience == .zero { return [] }
        guard prepared == SQLITE_OK else {
            let problem = String(cString: sqlite3_errmsg(database))
            // The module's first life is just making it.
            if problem.hasPrefix("no such table") { return [] }
            throw HarnessError("\(diary.path)/\(name): \(problem)")
        }
        defer { sqlite3_finalize(statement) }
        var lines: [Diary.Line] = []
        var code = sqlite3_step(statement)
        while code == SQLITE_ROW {
            func text(_ column: Int32) -> String { sqlite3_column_text(statement, column).map { String(cString: $0) } ?? "" }
            func number(_ column: Int32) -> Int { Int(sqlite3_column_int64(statement, column)) }
            read[name] = sqlite3_column_int64(statement, 0)
            lines.append(
                Diary.Line(
                    what: text(1), key: Diary.Key(publisher: text(2), run: number(3), number: number(4)), effect: text(5),
                    pid: Int32(number(6)), nanoseconds: number(7)))
            code = sqlite3_step(statement)
        }
        guard code == SQLITE_DONE || code == SQLITE_BUSY && patience == .zero else {
            throw HarnessError("\(diary.path)/\(name): \(String(cString: sqlite3_errmsg(database)))")
        }
        return lines
    }

    private func database(_ name: String) throws -> OpaquePointer? {
        if let database = databases[name] { return database }
        let path = "\(diary.path)/\(name)"
        var database: OpaquePointer?
        // Not read only: whoever comes first after a kill brings the write-ahead log in order.
        guard sqlite3_open_v2(path, &database, SQLITE_OPEN_READWRITE, nil) == SQLITE_OK else {
            sqlite3_close(database)
            throw HarnessError("\(path) cannot be opened")
        }
        sqlite3_busy_timeout(database, Int32(patience / .milliseconds(1)))
        databases[name] = database
        return database
    }
}
