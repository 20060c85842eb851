import Foundation
import Testing

/// The judge must be able to find what it looks for.
@Suite struct BooksTests {
    private func books(_ lines: String...) throws -> Books {
        try Books(
            lines.enumerated().map { time, line in
                let words = line.split(separator: " ")
                let key = Diary.Key(
                    publisher: String(words[1]), run: try #require(Int(words[2])), number: try #require(Int(words[3])))
                let effect = words.count > 4 ? String(words[4]) : "\(key)"
                return Diary.Line(what: String(words[0]), key: key, effect: effect, pid: 7, nanoseconds: time)
            })
    }

    @Test func `a series that was counted once balances, a re-run before its settlement too`() throws {
        let good = try books(
            "begin A 1 2", "start A 1 1", "start A 1 1", "end A 1 1", "answered A 1 1", "begin A 1 2", "start A 1 2", "end A 1 2",
            "answered A 1 2", "done A 1 2")
        #expect(good.isBalanced && good.reruns == 1, "\(good)")
        #expect(good.totals == Counting.Totals(count: 2, sum: 3))
    }

    @Test func `what no handler ended, or no writer saw answered, is lost`() throws {
        #expect(try books("begin A 1 1", "start A 1 1").lost.count == 1)
        #expect(try books("begin A 1 1", "answered A 1 1").lost.count == 1)
        #expect(try books("begin A 1 1", "start A 1 1", "end A 1 1").lost.count == 1)
    }

    @Test func `a start after the answer is a repetition`() throws {
        let bad = try books("begin A 1 1", "start A 1 1", "end A 1 1", "answered A 1 1", "start A 1 1", "end A 1 1")
        #expect(bad.repeated.count == 1 && bad.lost.isEmpty)
    }

    @Test func `a start under another id is a repetition too, for it was said twice`() throws {
        let bad = try books("begin A 1 1", "start A 1 1 A#5", "start A 1 1 A#6", "end A 1 1", "answered A 1 1")
        #expect(bad.repeated.count == 1 && bad.lost.isEmpty)
    }

    @Test func `a first start before that of an earlier number is out of order, and so is what nobody said`() throws {
        let bad = try books(
            "begin A 1 2", "start A 1 2", "end A 1 2", "answered A 1 2", "start A 1 1", "end A 1 1", "answered A 1 1")
        #expect(bad.misordered.count == 1)
        #expect(try books("start A 1 1", "end A 1 1").misordered.count == 1)
    }

    @Test func `a diary that is no database is not believed`() throws {
        let path = try temporaryDirectory("rxe-books")
        defer { try? FileManager.default.removeItem(atPath: path) }
        #expect(try Diary(path: path).lines().isEmpty)
        try "no database, but long enough to be taken for the header of one, which has a hundred bytes in it at the least, as they say"
            .write(toFile: path + "/Counter.sqlite", atomically: true, encoding: .utf8)
        #expect { try Diary(path: path).lines() } throws: { "\($0)".contains("Counter.sqlite") }
    }
}
