import Glibc
import Relux
import ReluxTestKit
import Testing

@testable import ReluxControl

@Suite struct OpenTableTests {
    private let boot = [UInt8](0..<16)
    private let directory = TemporaryDirectory(isMade: true)
    private var path: String { directory.file("open") }

    private func id(_ position: UInt64, _ module: ModuleID = "Far") -> EffectID { EffectID(module: module, position: position) }
    private func contents() throws -> OpenTableFormat.Contents { try #require(try OpenTable.contents(of: path)) }

    @Test func `a table says which handlers run, in the order of their starts`() throws {
        let table = try OpenTable(path: path, epoch: Epoch(9), boot: boot)
        try table.takePlace()
        #expect(try contents() == .init(epoch: Epoch(9), boot: boot, open: [], unnoted: 0, pid: getpid(), charged: []))
        let long = ModuleID(rawValue: String(repeating: "a", count: ModuleID.byteLimit))!
        for (run, effect) in [(7, id(1)), (3, id(.max, long)), (9, id(2))] { table.began(run: UInt64(run), effect: effect, isCharged: false) }
        #expect(try contents().open == [id(.max, long), id(1), id(2)])
        table.ended(run: 7)
        table.began(run: 11, effect: id(5, "B"), isCharged: false)
        #expect(try contents().open == [id(.max, long), id(2), id(5, "B")])
    }

    @Test(arguments: ["", ".new"]) func `a table takes its place whatever lies there`(ending: String) throws {
        for make in [{ mkdir($0, 0o700) }, { mkfifo($0, 0o600) }, { symlink("nowhere", $0) }] as [(String) -> Int32] {
            unlink(path)
            try #require(make(path + ending) == 0)
            try OpenTable(path: path, epoch: Epoch(9), boot: boot).takePlace()
            #expect(try contents().epoch == Epoch(9))
            #expect(remove("\(path)\(ending).replaced-\(getpid())") == 0)
        }
    }

    @Test func `a table names its writer, and those that a death now is charged to`() throws {
        let table = try OpenTable(path: path, epoch: Epoch(9), boot: boot)
        try table.takePlace()
        let long = ModuleID(rawValue: String(repeating: "a", count: ModuleID.byteLimit))!
        table.began(run: 1, effect: id(1), isCharged: false)
        table.began(run: 2, effect: id(2, long), isCharged: true)
        #expect(try contents().pid == getpid())
        #expect(try contents().open == [id(1), id(2, long)])
        #expect(try contents().charged == [id(2, long)])
        // It goes on in company; of one that has ended nothing is changed.
        table.released(run: 2)
        table.released(run: 77)
        #expect(try contents().open == [id(1), id(2, long)] && contents().charged == [] && contents().released == [id(2, long)])
        // The slot is used again, by one that is not charged.
        table.ended(run: 2)
        table.began(run: 3, effect: id(3), isCharged: false)
        #expect(try contents().open == [id(1), id(3)])
        #expect(try contents().charged == [] && contents().released == [])
    }

    @Test func `the next life's table takes the place of the last one's`() throws {
        let old = try OpenTable(path: path, epoch: Epoch(1), boot: boot)
        try old.takePlace()
        old.began(run: 1, effect: id(1), isCharged: false)
        let new = try OpenTable(path: path, epoch: Epoch(2), boot: boot)
        // Until then it can be read again.
        #expect(try contents().open == [id(1)] && contents().isJournaled == false)
        try OpenTable.noteJournaled(path)
        #expect(try contents().open == [id(1)] && contents().isJournaled)
        try new.takePlace()
        old.began(run: 2, effect: id(2), isCharged: false)
        #expect(try contents() == .init(epoch: Epoch(2), boot: boot, open: [], unnoted: 0, pid: getpid(), charged: []))
    }

    @Test func `handlers without a slot are counted while they run`() throws {
        let table = try OpenTable(path: path, epoch: Epoch(1), boot: boot)
        try table.takePlace()
        let count = UInt64(OpenTableFormat.slotCount)
        for run in 1...(count + 2) { table.began(run: run, effect: id(run), isCharged: false) }
        #expect(try contents().open.count == Int(count))
        #expect(try contents().unnoted == 2)
        table.ended(run: count + 1)
        table.ended(run: 1)
        #expect(try contents().unnoted == 1)
        #expect(try contents().open.count == Int(count) - 1)
    }

    @Test func `what is no table is refused by name, and none at all is nothing`() throws {
        #expect(try OpenTable.contents(of: path) == nil)
        let table = try OpenTable(path: path, epoch: Epoch(1), boot: boot)
        try table.takePlace()
        table.began(run: 1, effect: id(1), isCharged: false)
        let good = try #require(try? Array(bytes()))
        var name = good
        name[OpenTableFormat.headerByteCount + OpenTableFormat.nameOffset] = 0
        var long = good
        long[OpenTableFormat.headerByteCount + OpenTableFormat.nameCountOffset] = 255
        for bad in [[], Array(good.dropLast()), good + [0], [0] + good.dropFirst(), name, long] {
            #expect { try OpenTableFormat.decode(bad) } throws: { ($0 as? OpenTableError)?.code == .damaged }
        }
        try write(name)
        #expect { try OpenTable.contents(of: path) } throws: {
            let error = $0 as? OpenTableError
            return error?.description.contains(path) == true && error?.description.contains("slot 0 at byte 64") == true
        }
    }

    @Test func `a process that its journal ends leaves no table of its own that blames a handler, and those of others as they are`() throws {
        let folder = directory.path
        let (mine, other, alien) = (folder + "/A.open", folder + "/B.open", folder + "/C.open")
        for file in [mine, other] {
            let table = try OpenTable(path: file, epoch: Epoch(1), boot: boot)
            try table.takePlace()
            table.began(run: 1, effect: id(1), isCharged: true)
        }
        var pid = UInt64(getpid()) + 1
        let descriptor = open(other, O_WRONLY)
        #expect(pwrite(descriptor, &pid, 8, off_t(OpenTableFormat.pidOffset)) == 8)
        close(descriptor)
        close(open(alien, O_CREAT, 0o600))
        OpenTable.acquitAll(in: folder)
        let acquitted = try #require(try OpenTable.contents(of: mine))
        #expect(acquitted.isInnocent && acquitted.open == [id(1)] && acquitted.charged == [])
        let kept = try #require(try OpenTable.contents(of: other))
        #expect(!kept.isInnocent && kept.charged == [id(1)])
        #expect(access(alien, F_OK) == 0)
    }

    @Test func `a pipe in its place is refused, and not waited for`() throws {
        try #require(mkfifo(path, 0o600) == 0)
        #expect(throws: OpenTableError.self) { try OpenTable.noteJournaled(path) }
        #expect(throws: OpenTableError.self) { try contents() }
    }

    @Test func `where no file can be made the error names it`() {
        #expect { _ = try OpenTable(path: "/proc/relux/open", epoch: Epoch(1), boot: boot) } throws: {
            ($0 as? OpenTableError)?.description.contains("/proc/relux/open") == true
        }
    }

    @Test func `after a kill -9 the table is whole and names who ran`() throws {
        for round in 0..<20 {
            let child = try Killed(["open", path])
            try child.waitForReady()
            // Some work, so that the rounds differ in where it is cut.
            for _ in 0..<(round * 500) { getpid() }
            child.kill()
            let left = try contents()
            #expect(left.open.prefix(3) == [id(1, "Stays"), id(2, "Stays"), id(3, "Stays")])
            #expect(left.open.count <= 4)
            if let last = left.open.dropFirst(3).first {
                #expect(last.module == (last.position.isMultiple(of: 2) ? "Even" : "Odd.Number"))
            }
            #expect(left.unnoted == 0)
        }
        unlink(path)
    }

    private func bytes() throws -> [UInt8] {
        let descriptor = open(path, O_RDONLY)
        defer { close(descriptor) }
        var bytes = [UInt8](repeating: 0, count: OpenTableFormat.byteCount)
        try #require(read(descriptor, &bytes, bytes.count) == bytes.count)
        return bytes
    }
    private func write(_ bytes: [UInt8]) throws {
        let descriptor = open(path, O_WRONLY)
        defer { close(descriptor) }
        try #require(Glibc.write(descriptor, bytes, bytes.count) == bytes.count)
    }
}

/// A probe that is killed.
private struct Killed {
    private var pid: pid_t = 0
    private let output: Int32

    init(_ arguments: [String]) throws {
        var ends: [Int32] = [0, 0]
        let isMade = pipe(&ends) == 0
        try #require(isMade)
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_adddup2(&actions, ends[1], 1)
        var link = [CChar](repeating: 0, count: 4096)
        let count = readlink("/proc/self/exe", &link, link.count - 1)
        let own = String(decoding: link.prefix(count).map { UInt8(bitPattern: $0) }, as: UTF8.self)
        let probe = own.split(separator: "/").dropLast().reduce("") { $0 + "/" + $1 } + "/relux-bus-probe"
        var words: [UnsafeMutablePointer<CChar>?] = ([probe] + arguments).map { strdup($0) } + [nil]
        defer { for word in words { free(word) } }
        let failure = posix_spawn(&pid, probe, &actions, nil, &words, environ)
        close(ends[1])
        output = ends[0]
        try #require(failure == 0)
    }

    /// Blocks for its first byte; when it dies before, this fails.
    func waitForReady() throws {
        var byte: UInt8 = 0
        try #require(read(output, &byte, 1) == 1)
    }

    func kill() {
        Glibc.kill(pid, SIGKILL)
        var status: Int32 = 0
        waitpid(pid, &status, 0)
        close(output)
    }
}
