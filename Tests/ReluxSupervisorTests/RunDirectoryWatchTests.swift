import Foundation
import Glibc
import ReluxControl
import Testing

@Suite struct RunDirectoryWatchTests {
    @Test func `parts that were taken away are made anew`() throws {
        let scratch = Scratch()
        let run = RunDirectory(path: scratch.path + "/run")
        try run.create()
        var watch = RunDirectoryWatch(run, process: "Auth")
        try watch.look()
        for part in [run.logs, run.crashes, run.sockets, run.journals, run.state] { try FileManager.default.removeItem(atPath: part) }
        try watch.look()
        for part in [run.logs, run.crashes, run.sockets, run.journals, run.state] {
            let mode = try FileManager.default.attributesOfItem(atPath: part)[.posixPermissions] as? Int
            #expect(mode == 0o700, "\(part)")
        }
    }

    @Test func `a file in the place of a part is named, and the other parts are made anew`() throws {
        let scratch = Scratch()
        let run = RunDirectory(path: scratch.path + "/run")
        try run.create()
        var watch = RunDirectoryWatch(run, process: "Auth")
        for part in [run.crashes, run.journals] { try FileManager.default.removeItem(atPath: part) }
        try Data().write(to: URL(fileURLWithPath: run.crashes))
        #expect(try watch.look() == ["\(run.crashes) is not a directory (links are not followed); move it away"])
        #expect(FileManager.default.fileExists(atPath: run.journals))
        try FileManager.default.removeItem(atPath: run.crashes)
        #expect(try watch.look() == [])
    }

    @Test func `settings that are gone are written again`() throws {
        let scratch = Scratch()
        let run = RunDirectory(path: scratch.path + "/run")
        try run.create()
        let settings = SettingsInForce(run)
        settings.write(["a": "1"])
        #expect(!settings.keep(["a": "1"]))
        try FileManager.default.removeItem(atPath: run.settings)
        #expect(settings.keep(["a": "1"]) && settings.values == ["a": "1"])
    }

    @Test(arguments: [false, true]) func `the directory itself is not made anew, and another one is not taken for it`(_ isReplaced: Bool) throws {
        let scratch = Scratch()
        let run = RunDirectory(path: scratch.path + "/run")
        try run.create()
        var watch = RunDirectoryWatch(run, process: "Auth")
        // Moved, not deleted, so that the file system has no reason to give its number again.
        try FileManager.default.moveItem(atPath: run.path, toPath: run.path + ".old")
        if isReplaced { try run.create() }
        let error = #expect(throws: RunDirectoryError.self) { try watch.look() }
        #expect(error?.code == .lost)
        #expect(error?.message.contains(run.path) == true)
        #expect(FileManager.default.fileExists(atPath: run.path) == isReplaced)
    }
}
