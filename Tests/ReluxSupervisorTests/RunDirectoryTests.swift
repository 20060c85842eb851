import Foundation
import Glibc
import ReluxControl
import Testing

@Suite struct RunDirectoryTests {
    private func mode(_ path: String) -> UInt32 {
        var found = stat()
        return lstat(path, &found) == 0 ? found.st_mode & 0o777 : 0
    }

    @Test func `every part is made and closed to others`() throws {
        let scratch = Scratch()
        let run = RunDirectory(path: scratch.path + "/deep/run/")
        try run.create()
        for part in [run.path, run.logs, run.crashes, run.state, run.sockets] { #expect(mode(part) == 0o700, "\(part)") }
        #expect(run.path == scratch.path + "/deep/run")
        #expect(run.brokerEndpoint == "ipc://\(run.path)/sockets/broker.ipc")
        chmod(run.path, 0o755)
        try run.create()
        #expect(mode(run.path) == 0o700)
        #expect(mode(try run.createState(of: "Auth")) == 0o700)
    }

    @Test(.enabled(if: geteuid() == 0)) func `a part that another user owns is never used, not even by a process that serves as well as it can`() throws {
        let scratch = Scratch()
        let run = RunDirectory(path: scratch.path + "/run")
        try run.create()
        try FileManager.default.removeItem(atPath: run.crashes)
        try Data().write(to: URL(fileURLWithPath: run.crashes))
        #expect(try run.provide().count == 1)
        try #require(chown(run.sockets, 1, 1) == 0)
        #expect(throws: RunDirectoryError.self) { try run.provide() }
    }

    @Test func `sockets of a long path move to a short one, the same for all who ask`() {
        let long = "/tmp/" + String(repeating: "d", count: 120)
        let (a, b) = (RunDirectory(path: long), RunDirectory(path: long + "/"))
        #expect(a == b && a.sockets.hasPrefix("/tmp/relux-\(geteuid())-"))
        #expect(a.sockets != RunDirectory(path: long + "x").sockets)
    }

    @Test func `a long path has one place for its sockets however it is spelled, before and after it is there`() throws {
        let scratch = Scratch()
        try FileManager.default.createDirectory(atPath: scratch.path + "/one", withIntermediateDirectories: true)
        symlink("one", scratch.path + "/two")
        let tail = "/" + String(repeating: "d", count: 90) + "/run"
        let (one, two) = (RunDirectory(path: scratch.path + "/one" + tail), RunDirectory(path: scratch.path + "/two" + tail))
        #expect(one.sockets == two.sockets && one.sockets.hasPrefix("/tmp/relux-"))
        try two.create()
        defer { try? FileManager.default.removeItem(atPath: one.sockets) }
        #expect(RunDirectory(path: scratch.path + "/one" + tail).sockets == one.sockets)
    }

    @Test(arguments: [1, 20, 40, 54, 55, 80, 300]) func `no socket's path is too long`(length: Int) {
        let run = RunDirectory(path: "/" + String(repeating: "r", count: length))
        let names = ["A", "broker", "a b", "..", "../../x", String(repeating: "n", count: 64)]
        for endpoint in names.flatMap({ [run.endpoint(of: $0), run.tapEndpoint(of: $0)] }) + [run.brokerEndpoint, run.membersEndpoint] {
            #expect(endpoint.dropFirst("ipc://".count).utf8.count <= RunDirectory.socketPathLimit, "\(endpoint)")
            #expect(endpoint.dropFirst("ipc://".count + run.sockets.count + 1).contains("/") == false)
        }
        #expect(Set(names.map(run.endpoint)).count == names.count)
        #expect(!names.map(run.endpoint).contains(run.brokerEndpoint))
        #expect(!names.flatMap { [run.endpoint(of: $0), run.tapEndpoint(of: $0)] }.contains(run.membersEndpoint))
    }

    @Test func `a link in the place of a directory is refused`() throws {
        let scratch = Scratch()
        symlink("/tmp", scratch.path + "/run")
        let error = #expect(throws: RunDirectoryError.self) { try RunDirectory(path: scratch.path + "/run").create() }
        #expect(error?.code == .notADirectory)
    }

    @Test func `one supervisor at a time, and a file that a dead one left does not count`() throws {
        let scratch = Scratch()
        let run = RunDirectory(path: scratch.path)
        try run.create()
        #expect(run.runningSupervisor() == nil)
        do {
            let lock = try run.lockSupervisor()
            #expect(run.runningSupervisor() == getpid())
            let error = #expect(throws: RunDirectoryError.self) { _ = try run.lockSupervisor() }
            #expect(error?.code == .alreadyRunning && error?.message.contains("pid \(getpid())") == true)
            extendLifetime(lock)
        }
        #expect(scratch.text("supervisor.pid") == "\(getpid())\n")
        #expect(run.runningSupervisor() == nil)
        _ = try run.lockSupervisor()
    }
}
