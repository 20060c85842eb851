import Glibc
import ReluxControl
import ReluxSystem
import ReluxTestKit
import Synchronization
import Testing

@Suite struct HeartbeatPipeTests {
    /// A directory for one test; it goes with the value.
    private struct Scratch {
        private let folder = TemporaryDirectory(isMade: true)
        var directory: String { folder.path }
        var path: String { folder.file("heartbeats") }
    }

    private func writer(_ name: String, _ scratch: Scratch) -> HeartbeatPipe.Writer {
        HeartbeatPipe.Writer(path: scratch.path, identity: Array(name.utf8))
    }

    /// On a thread as hosts have it, which takes no SIGPIPE.
    private func beat(_ writers: HeartbeatPipe.Writer...) throws -> [Bool] {
        let results = Mutex<[Bool]>([])
        try BlockingThread(name: "beats") { results.withLock { $0 = writers.map { $0.beat() } } }.join()
        return results.withLock { $0 }
    }

    private func names(_ reader: borrowing HeartbeatPipe.Reader) -> [String] { reader.read().map { String(decoding: $0, as: UTF8.self) }.sorted() }

    @Test func `who has beaten since the last look is named once, and nobody else`() throws {
        let scratch = Scratch()
        let reader = HeartbeatPipe.Reader(path: scratch.path)
        let (one, other) = (writer("one/1-5", scratch), writer(String(repeating: "o", count: 255), scratch))
        #expect(names(reader).isEmpty)
        #expect(try beat(one, other, one) == [true, true, true])
        #expect(names(reader) == ["one/1-5", String(repeating: "o", count: 255)].sorted { $0 < $1 })
        #expect(names(reader).isEmpty)
    }

    @Test func `a host learns that no broker reads, and is heard by the next one, whatever became of the pipe`() throws {
        let scratch = Scratch()
        let host = writer("host", scratch)
        #expect(try beat(host) == [false])
        do {
            let reader = HeartbeatPipe.Reader(path: scratch.path)
            #expect(try beat(host) == [true])
            #expect(names(reader) == ["host"])
        }
        #expect(try beat(host) == [false], "the broker is gone, its pipe is not")
        do {
            let reader = HeartbeatPipe.Reader(path: scratch.path)
            #expect(try beat(host) == [true])
            #expect(names(reader) == ["host"])
        }
        unlink(scratch.path)
        let reader = HeartbeatPipe.Reader(path: scratch.path)
        #expect(try beat(host) == [true])
        #expect(names(reader) == ["host"])
    }

    @Test func `a pipe that is taken away is made again`() throws {
        let scratch = Scratch()
        var reader = HeartbeatPipe.Reader(path: scratch.path)
        let host = writer("host", scratch)
        #expect(try beat(host) == [true])
        unlink(scratch.path)
        reader.hold()
        // The reader of the pipe that the host has open is gone.
        #expect(try beat(host) == [true])
        #expect(names(reader) == ["host"])
    }

    @Test(arguments: ["file", "directory", "link", "socket"]) func `what is no pipe is set aside by the broker, and never written to by a host`(kind: String) throws {
        let scratch = Scratch()
        let path = scratch.path
        let made =
            switch kind {
            case "file": close(open(path, O_CREAT | O_RDWR, 0o600))
            case "directory": mkdir(path, 0o700)
            case "link": symlink("/dev/null", path)
            default: mknod(path, S_IFSOCK | 0o600, 0)
            }
        try #require(made == 0)
        let host = writer("host", scratch)
        #expect(try beat(host) == [false])
        let reader = HeartbeatPipe.Reader(path: path)
        #expect(try beat(host) == [true])
        #expect(names(reader) == ["host"])
        #expect(FilePlace.isTaken("\(path).replaced-\(getpid())"))
    }

    @Test func `a broker that reads nothing stops nobody, and what is no heartbeat ends with the look that finds it`() throws {
        let scratch = Scratch()
        let reader = HeartbeatPipe.Reader(path: scratch.path)
        let host = writer("host", scratch)
        let taken = Mutex(0)
        try BlockingThread(name: "beats") { while host.beat() { taken.withLock { $0 += 1 } } }.join()
        #expect(taken.withLock { $0 } > 1000, "as long as nobody reads")
        #expect(names(reader) == ["host"])
        let other = open(scratch.path, O_WRONLY | O_NONBLOCK)
        defer { close(other) }
        try #require(write(other, [3, 65, 66, 67, 0, 200, 1] as [UInt8], 7) == 7)
        #expect(names(reader) == ["ABC"])
        #expect(try beat(host) == [true])
        #expect(names(reader) == ["host"])
    }
}
