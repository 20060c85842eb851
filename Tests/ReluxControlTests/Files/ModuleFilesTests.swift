import Foundation
import Glibc
import ReluxControl
import ReluxTestKit
import Testing

/// With files on a disk: a life of the test's own process is one that somebody else has seen end.
@Suite struct ModuleFilesTests {
    private static func play(_ body: (RunDirectory, ModuleFiles, String) throws -> Void) throws {
        let directory = TemporaryDirectory()
        let run = RunDirectory(path: directory.path)
        try run.create()
        let folder = try run.createState(of: "Notes")
        let files = ModuleFiles(run)
        #expect(files.begin("Notes") == nil)
        try "one".write(toFile: folder + "/notes.sqlite", atomically: false, encoding: .utf8)
        try body(run, files, folder)
    }

    @Test func `a life that finds what the last one has left has nothing to tell`() throws {
        try Self.play { _, files, _ in
            files.ended(getpid(), isClean: true)
            #expect(files.begin("Notes") == nil)
        }
    }

    @Test func `an older copy that was put back is told until a life has ended as it should`() throws {
        try Self.play { _, files, folder in
            try FileManager.default.copyItem(atPath: folder, toPath: folder + ".week")
            files.ended(getpid(), isClean: true)
            try FileManager.default.removeItem(atPath: folder)
            // A folder that is moved leaves its files as they are: only their numbers tell.
            try FileManager.default.moveItem(atPath: folder + ".week", toPath: folder)
            let news = try #require(files.begin("Notes"))
            #expect(news.contains("replaced: notes.sqlite") && news.contains(folder), "\(news)")
            files.ended(getpid(), isClean: false)
            #expect(files.begin("Notes") == news)
            files.ended(getpid(), isClean: true)
            #expect(files.begin("Notes") == nil)
        }
    }

    @Test func `an older copy is told also where rights were changed everywhere behind it, and such a change alone is not`() throws {
        try Self.play { run, files, folder in
            func touch() throws {
                // As `chmod -R` does, more than a second behind the note: the note's time of writing is set back instead.
                for name in try FileManager.default.contentsOfDirectory(atPath: run.journals) where name.hasSuffix(RunDirectory.filesMarkSuffix) {
                    let past = Date(timeIntervalSinceNow: -60)
                    try FileManager.default.setAttributes([.modificationDate: past], ofItemAtPath: run.journals + "/" + name)
                }
                try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: folder + "/notes.sqlite")
            }
            try FileManager.default.copyItem(atPath: folder, toPath: folder + ".week")
            files.ended(getpid(), isClean: true)
            try touch()
            #expect(files.begin("Notes") == nil)
            files.ended(getpid(), isClean: true)
            try FileManager.default.removeItem(atPath: folder)
            try FileManager.default.moveItem(atPath: folder + ".week", toPath: folder)
            try touch()
            let news = try #require(files.begin("Notes"))
            #expect(news.contains("replaced: notes.sqlite"), "\(news)")
        }
    }

    @Test func `what was taken away is told by the next life`() throws {
        try Self.play { _, files, _ in
            files.take(["notes.sqlite"], from: "Notes")
            files.ended(getpid(), isClean: false)
            let news = try #require(files.begin("Notes"))
            #expect(news.contains("taken away while it ran (notes.sqlite"), "\(news)")
        }
    }

    @Test func `a process that ends says nothing of a module that lives elsewhere by now`() throws {
        try Self.play { _, files, folder in
            files.ended(getpid() + 1, isClean: true)
            try FileManager.default.removeItem(atPath: folder + "/notes.sqlite")
            #expect(files.begin("Notes") == nil)
        }
    }

    @Test func `a note that nobody can read is none`() throws {
        try Self.play { run, files, _ in
            files.ended(getpid(), isClean: true)
            try "{".write(toFile: run.filesMark(of: "Notes"), atomically: false, encoding: .utf8)
            #expect(files.begin("Notes") == nil)
        }
    }
}
