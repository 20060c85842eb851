@testable import ReluxControl
import Testing

@Suite struct FilesMarkTests {
    private static let left = FoundFile(name: "notes.sqlite", number: 7, changed: 100, modified: 100)

    private static func change(to found: [FoundFile], left: [FoundFile] = [left], since time: Int64 = 100) -> String? {
        var mark = FilesMark(pid: 1)
        mark.left = left.map { .init(name: $0.name, number: $0.number) }
        return mark.change(to: found, since: time)
    }

    @Test func `what lies there as it was left is no change, nor is what came beside it`() {
        #expect(Self.change(to: [Self.left]) == nil)
        #expect(Self.change(to: [Self.left, FoundFile(name: "notes.sqlite-wal", number: 8, changed: 900, modified: 900)]) == nil)
    }

    @Test func `another file under the same name is told, however old it says it is`() {
        #expect(Self.change(to: [FoundFile(name: "notes.sqlite", number: 9, changed: 1, modified: 1)]) == "replaced: notes.sqlite")
    }

    @Test func `a file that was written, or given other rights, behind the end is told`() {
        #expect(Self.change(to: [FoundFile(name: "notes.sqlite", number: 7, changed: 101, modified: 101)]) == "written: notes.sqlite")
    }

    @Test func `a clock that was set tells no lie of files, and hides none that was written`() {
        var mark = FilesMark(pid: 1)
        mark.left = [.init(name: "notes.sqlite", number: 7, changed: 900)]
        // Written by the life that ended, before the clock was set back to 100: the note is of then.
        #expect(mark.change(to: [FoundFile(name: "notes.sqlite", number: 7, changed: 900, modified: 900)], since: 100) == nil)
        // An older copy was written into it, at 50 by a clock that was set back once more.
        #expect(mark.change(to: [FoundFile(name: "notes.sqlite", number: 7, changed: 50, modified: 50)], since: 100) == "written: notes.sqlite")
    }

    @Test func `rights that were changed everywhere are no change of files, and hide none`() {
        var mark = FilesMark(pid: 1)
        mark.left = [.init(name: "notes.sqlite", number: 7, changed: 100, modified: 90)]
        func change(_ number: UInt64, _ modified: Int64) -> String? {
            mark.change(to: [FoundFile(name: "notes.sqlite", number: number, changed: 900, modified: modified)], since: 100, isTouched: true)
        }
        #expect(change(7, 90) == nil)
        #expect(change(7, 80) == "written: notes.sqlite")
        #expect(change(9, 90) == "replaced: notes.sqlite")
        #expect(mark.change(to: [], since: 100, isTouched: true) == "gone: notes.sqlite")
    }

    @Test func `files that are gone are told, three of them by name`() {
        let many = (1...5).map { FoundFile(name: "f\($0)", number: UInt64($0), changed: 1, modified: 1) }
        #expect(Self.change(to: [], left: many) == "gone: f1, f2, f3 and 2 more")
    }

    @Test func `nothing is said where nobody has seen the end`() {
        #expect(FilesMark(pid: 1).change(to: [Self.left], since: 0) == nil)
    }
}
