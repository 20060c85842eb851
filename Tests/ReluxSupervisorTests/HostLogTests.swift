import Foundation
import Glibc
import Testing

@testable import ReluxSupervisor

@Suite struct HostLogTests {
    @Test func `a full log becomes the older one when its host starts`() throws {
        let scratch = try Scratch()
        let path = scratch.path + "/log"
        try Data(repeating: 65, count: 100).write(to: URL(fileURLWithPath: path))
        close(try HostLog.open(path, limit: 101))
        #expect(scratch.text("log").count == 100)
        close(try HostLog.open(path, limit: 100))
        #expect(scratch.text("log").isEmpty && scratch.text("log.1").count == 100)
    }

    @Test func `a full log is emptied under its writer, who goes on at its start`() throws {
        let scratch = try Scratch()
        let path = scratch.path + "/log"
        let writer = try HostLog.open(path)
        defer { close(writer) }
        write(writer, "before\n", 7)
        HostLog.trim(path, limit: 7)
        write(writer, "after\n", 6)
        #expect(scratch.text("log") == "after\n" && scratch.text("log.1") == "before\n")
    }

    @Test func `a log that cannot be opened names its path`() {
        let error = #expect(throws: SpawnError.self) { _ = try HostLog.open("/nowhere/log") }
        #expect(error?.description == "cannot start or open /nowhere/log: No such file or directory")
    }
}
