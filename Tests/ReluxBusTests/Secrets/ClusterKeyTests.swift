import Foundation
import Relux
import ReluxBus
import Testing

@Suite struct ClusterKeyTests {
    private static func play(_ body: (RunDirectory) throws -> Void) throws {
        let directory = FileManager.default.temporaryDirectory.appendingPathComponent("key-\(UUID().uuidString)").path
        defer { try? FileManager.default.removeItem(atPath: directory) }
        let run = RunDirectory(path: directory)
        try run.create()
        try body(run)
    }

    private static func refusal(_ run: RunDirectory) -> String {
        do throws(Relux.Failure) {
            _ = try ClusterKey(run).take()
            return ""
        } catch {
            return error.message
        }
    }

    @Test func `a cluster begins with a key of its own and keeps it`() throws {
        try Self.play { run in
            #expect(ClusterKey(run).trouble == nil)
            let first = try ClusterKey(run).take()
            let sealed = try first.seal([1, 2, 3])
            #expect(try ClusterKey(run).take().open(sealed) == [1, 2, 3])
            #expect(ClusterKey(run).trouble == nil)
        }
    }

    @Test func `a key that is gone is not made anew, and another one is not taken`() throws {
        try Self.play { run in
            _ = try ClusterKey(run).take()
            try FileManager.default.removeItem(atPath: run.key)
            for _ in 1...2 { #expect(Self.refusal(run).contains("the cluster's key \(run.key) is gone")) }
            #expect(!FileManager.default.fileExists(atPath: run.key))
            try ClusterSealer.makeKeyFile(run.key)
            #expect(Self.refusal(run).contains("\(run.key) is another one than before"))
            #expect(ClusterKey(run).trouble?.contains("put it back; or rm ") == true)
            // Whoever knows that nothing sealed is wanted any more says so.
            try FileManager.default.removeItem(atPath: run.journals + "/key.name")
            #expect(Self.refusal(run) == "")
        }
    }

    @Test func `a key that is damaged, open to others or no file is refused by its path, with what is wrong`() throws {
        try Self.play { run in
            _ = try ClusterKey(run).take()
            try FileHandle(forWritingTo: URL(fileURLWithPath: run.key)).truncate(atOffset: 5)
            #expect(Self.refusal(run).contains("\(run.key) has 5 bytes instead of 32; put the right one back"))
            try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: run.key)
            #expect(Self.refusal(run).contains("may be read by others; chmod 600 it"))
            try FileManager.default.removeItem(atPath: run.key)
            try FileManager.default.createDirectory(atPath: run.key, withIntermediateDirectories: true)
            #expect(Self.refusal(run).contains("\(run.key) is no file; move it away"))
            #expect(ClusterKey(run).trouble?.contains("is no file") == true)
        }
    }
}
