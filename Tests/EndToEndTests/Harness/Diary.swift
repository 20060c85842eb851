import Foundation

/// What the fixtures' handlers have written, line by line.
struct Diary: Sendable {
    struct Key: Hashable, Comparable, Sendable, CustomStringConvertible {
        let publisher: String
        let run: Int
        let number: Int
        static func < (a: Self, b: Self) -> Bool { (a.publisher, a.run, a.number) < (b.publisher, b.run, b.number) }
        var description: String { "\(publisher)/\(run)/\(number)" }
    }

    struct Line: Sendable {
        /// Of Counter `start`, `end`; of a publisher `begin`, `answered`, `failed`, `done`.
        let what: String
        let key: Key
        let pid: Int32
        /// Of the machine's monotonic clock.
        let nanoseconds: Int
    }

    let path: String

    /// - Parameter after: so many are passed over.
    func lines(after: Int = 0) throws -> [Line] {
        guard let file = FileHandle(forReadingAtPath: path) else { return [] }
        try file.seek(toOffset: UInt64(after * 64))
        let data = try file.readToEnd() ?? Data()
        // A handler may be writing its line just now.
        return try stride(from: 0, to: data.count / 64 * 64, by: 64).map { start in
            let text = String(decoding: data[start..<start + 64], as: UTF8.self)
            let fields = text.split(whereSeparator: \.isWhitespace)
            guard text.hasSuffix("\n"), fields.count == 6, let run = Int(fields[2]), let number = Int(fields[3]),
                let pid = Int32(fields[4]), let time = Int(fields[5])
            else { throw HarnessError("byte \(after * 64 + start) of \(path) begins no line: \(text)") }
            return Line(
                what: String(fields[0]), key: Key(publisher: String(fields[1]), run: run, number: number), pid: pid, nanoseconds: time)
        }
    }

    static func now() -> Int {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return time.tv_sec * 1_000_000_000 + time.tv_nsec
    }
}

/// Reads a diary as it grows.
final class OpenHandlers {
    private let diary: Diary
    private var read = 0
    private var open: [Int32: Set<Diary.Key>] = [:]

    init(_ diary: Diary) { self.diary = diary }

    /// How many handlers of the process are between their two lines.
    func count(in pid: Int32) throws -> Int {
        for line in try diary.lines(after: read) {
            read += 1
            switch line.what {
            case "start", "begin": open[line.pid, default: []].insert(line.key)
            case "end", "done": open[line.pid]?.remove(line.key)
            default: break
            }
        }
        return open[pid]?.count ?? 0
    }
}
