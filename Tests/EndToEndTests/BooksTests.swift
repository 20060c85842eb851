import Foundation
import Testing

/// The judge must be able to find what it looks for.
@Suite struct BooksTests {
    private func books(_ lines: String...) throws -> Books {
        let path = "/tmp/rxe-books-\(UUID().uuidString)"
        defer { try? FileManager.default.removeItem(atPath: path) }
        let text = lines.enumerated().map { time, line in
            "\(line) 7 \(time)".padding(toLength: 63, withPad: " ", startingAt: 0) + "\n"
        }
        try text.joined().write(toFile: path, atomically: true, encoding: .utf8)
        return try Books(Diary(path: path))
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

    @Test func `a first start before that of an earlier number is out of order, and so is what nobody said`() throws {
        let bad = try books(
            "begin A 1 2", "start A 1 2", "end A 1 2", "answered A 1 2", "start A 1 1", "end A 1 1", "answered A 1 1")
        #expect(bad.misordered.count == 1)
        #expect(try books("start A 1 1", "end A 1 1").misordered.count == 1)
    }

    @Test func `a damaged diary is not believed`() {
        #expect(throws: HarnessError.self) { try books("begin A 1 x") }
    }
}
