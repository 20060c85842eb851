import Foundation
import Glibc
import ReluxSystem
import ReluxTestKit
import Testing

@Suite struct FilePlaceTests {
    @Test func `what is no file is named and set aside, and a file stays`() throws {
        let directory = TemporaryDirectory(isMade: true)
        let path = directory.file("place")
        let strangers: [(kind: String, make: () -> Int32)] = [
            ("a directory", { mkdir(path, 0o700) }), ("a symbolic link", { symlink("nowhere", path) }), ("a symbolic link", { symlink("/", path) }),
            ("a pipe", { mkfifo(path, 0o600) }), ("a socket", { mknod(path, S_IFSOCK | 0o600, 0) }),
        ]
        #expect(FilePlace.clear(path) == nil)
        for (kind, make) in strangers {
            try #require(make() == 0)
            let aside = "\(path).replaced-\(getpid())"
            #expect(FilePlace.stranger(path) == kind)
            #expect(FilePlace.clear(path) == "\(kind) lay in the place of the file \(path), and is \(aside) now")
            #expect(remove(aside) == 0)
        }
        try "kept".write(toFile: path, atomically: false, encoding: .utf8)
        #expect(FilePlace.stranger(path) == nil && FilePlace.clear(path) == nil && access(path, F_OK) == 0)
    }

    @Test func `a device stays where it is`() throws {
        let directory = TemporaryDirectory(isMade: true)
        let path = directory.file("null")
        // Only the system's administrator may make one.
        guard mknod(path, S_IFCHR | 0o600, 0x103) == 0 else { return }
        #expect(FilePlace.stranger(path) == "a device" && FilePlace.clear(path) == nil && access(path, F_OK) == 0)
    }
}
