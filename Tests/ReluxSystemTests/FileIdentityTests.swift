import Foundation
import Glibc
import ReluxSystem
import ReluxTestKit
import Testing

@Suite struct FileIdentityTests {
    private static func number(_ path: String) -> UInt64 {
        var found = stat()
        return stat(path, &found) == 0 ? UInt64(found.st_ino) : 0
    }

    @Test func `a file that has the number of one that is gone is another one`() throws {
        let directory = TemporaryDirectory(isMade: true)
        var seen: [UInt64: FileIdentity] = [:]
        for round in 0..<100 {
            let path = "\(directory.path)/\(round)"
            try Data().write(to: URL(fileURLWithPath: path))
            let identity = try #require(FileIdentity(path: path))
            #expect(FileIdentity(path: path) == identity)
            let descriptor = open(path, O_RDONLY | O_CLOEXEC)
            #expect(FileIdentity(descriptor: descriptor) == identity)
            close(descriptor)
            #expect(seen.updateValue(identity, forKey: Self.number(path)) != identity)
            try FileManager.default.removeItem(atPath: path)
        }
        #expect(FileIdentity(path: directory.path + "/0") == nil && FileIdentity(descriptor: -1) == nil)
    }
}
