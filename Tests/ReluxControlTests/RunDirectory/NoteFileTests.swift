import Foundation
import Glibc
import ReluxTestKit
import Testing

import ReluxControl

@Suite struct NoteFileTests {
    private func play(_ story: (String) throws -> Void) throws {
        let directory = TemporaryDirectory(isMade: true)
        try story("\(directory.path)/note")
    }

    @Test func `a note replaces the one before`() throws {
        try play { path in
            #expect(NoteFile.write(["a": 1], to: path) == nil && NoteFile.write(["a": 2], to: path) == nil)
            #expect(NoteFile.read([String: Int].self, from: path) == ["a": 2])
            #expect(NoteFile.remove(path) == nil && NoteFile.remove(path) == nil)
            #expect(NoteFile.read([String: Int].self, from: path) == nil)
        }
    }

    @Test(arguments: ["", ".new"]) func `a directory in the place of a note, or of its draft, is set aside and named each time`(_ ending: String) throws {
        try play { path in
            for number in ["", "-1"] {
                try FileManager.default.createDirectory(atPath: "\(path)\(ending)/kept", withIntermediateDirectories: true)
                let aside = "\(path)\(ending).replaced-\(getpid())\(number)"
                #expect(NoteFile.write(["a": 1], to: path) == "a directory lay in the place of the file \(path)\(ending), and is \(aside) now")
                #expect(NoteFile.read([String: Int].self, from: path) == ["a": 1])
                #expect(FileManager.default.fileExists(atPath: "\(aside)/kept"))
                #expect(NoteFile.remove(path) == nil)
            }
        }
    }

    @Test(arguments: ["", ".new"]) func `a pipe, a socket or a link in the place of a note, or of its draft, is set aside, and nobody waits`(_ ending: String) throws {
        try play { path in
            let (place, elsewhere) = (path + ending, path + ".elsewhere")
            for (kind, make) in [
                ("a pipe", { mkfifo(place, 0o600) }), ("a socket", { mknod(place, S_IFSOCK | 0o600, 0) }), ("a symbolic link", { symlink(elsewhere, place) }),
            ] as [(String, () -> Int32)] {
                try #require(make() == 0)
                #expect(NoteFile.read([String: Int].self, from: place) == nil)
                let aside = "\(place).replaced-\(getpid())"
                #expect(NoteFile.write(["a": 1], to: path) == "\(kind) lay in the place of the file \(place), and is \(aside) now")
                #expect(NoteFile.read([String: Int].self, from: path) == ["a": 1])
                #expect(unlink(aside) == 0 && access(elsewhere, F_OK) != 0)
                #expect(NoteFile.remove(path) == nil)
            }
        }
    }

    @Test func `a note that is taken away takes a directory in its place along, which is named`() throws {
        try play { path in
            try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
            #expect(NoteFile.remove(path)?.contains("and is \(path).replaced-\(getpid()) now") == true)
        }
    }

    @Test func `a note that cannot be written is named with the reason`() {
        #expect(NoteFile.write(["a": 1], to: "/proc/nowhere/note")?.hasPrefix("/proc/nowhere/note cannot be written: ") == true)
    }
}
