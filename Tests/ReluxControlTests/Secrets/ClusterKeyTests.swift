import Foundation
import Glibc
import Relux
import ReluxControl
import ReluxTestKit
import Testing

@Suite struct ClusterKeyTests {
    private static func play(_ body: (RunDirectory) throws -> Void) throws {
        let directory = TemporaryDirectory()
        let run = RunDirectory(path: directory.path)
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
            #expect(Self.refusal(run).contains("\(run.key) is a directory; move it away"))
            #expect(ClusterKey(run).trouble?.contains("is a directory") == true)
            try FileManager.default.removeItem(atPath: run.key)
            #expect(mkfifo(run.key, 0o600) == 0 && Self.refusal(run).contains("\(run.key) is a pipe; move it away"))
            unlink(run.key)
            #expect(symlink(run.key + ".none", run.key) == 0)
            #expect(Self.refusal(run).contains("\(run.key) is a symbolic link that leads to no file which can be read; move it away"))
        }
    }

    @Test func `a key that is replaced, damaged or opened to others while its cluster runs is put back, and what lay there is kept`() throws {
        try Self.play { run in
            let sealer = try ClusterKey(run).take()
            #expect(try ClusterKey(run).keep(sealer).isEmpty)
            for spoil in [{ try ClusterSealer.makeKeyFile(run.key) }, { try Data([1, 2]).write(to: URL(fileURLWithPath: run.key)) }] {
                try FileManager.default.removeItem(atPath: run.key)
                try spoil()
                let other = try Data(contentsOf: URL(fileURLWithPath: run.key))
                #expect(throws: Relux.Failure.self) { try ClusterKey(run).open() }
                let done = try ClusterKey(run).keep(sealer)
                #expect(done.contains { $0.contains("\(run.key).aside") } && done.contains { $0.hasSuffix("is written again: \(run.key)") }, "\(done)")
                #expect(try ClusterKey(run).open().name == sealer.name)
                #expect(try Data(contentsOf: URL(fileURLWithPath: run.key + ".aside")) == other)
            }
            try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: run.key)
            #expect(try ClusterKey(run).keep(sealer) == ["the key was open to others, and is closed again: \(run.key)"])
            #expect(ClusterKey(run).trouble == nil)
        }
    }

    @Test func `a note that is gone is written again, whatever lies in its place, and one that cannot be read hides no key that is gone`() throws {
        try Self.play { run in
            let sealer = try ClusterKey(run).take()
            let note = run.journals + "/key.name"
            try FileManager.default.removeItem(atPath: note)
            _ = try ClusterKey(run).keep(sealer)
            #expect(FileManager.default.fileExists(atPath: note))
            try Data("{".utf8).write(to: URL(fileURLWithPath: note))
            let key = try Data(contentsOf: URL(fileURLWithPath: run.key))
            try FileManager.default.removeItem(atPath: run.key)
            #expect(Self.refusal(run).contains("the cluster's key \(run.key) is gone"))
            try #require(FileManager.default.createFile(atPath: run.key, contents: key, attributes: [.posixPermissions: 0o600]))
            try FileManager.default.removeItem(atPath: note)
            // The note's draft leads nowhere.
            try FileManager.default.createSymbolicLink(atPath: note + ".new", withDestinationPath: "/proc/nowhere/note")
            #expect(Self.refusal(run).isEmpty)
            try FileManager.default.removeItem(atPath: note)
            try FileManager.default.createDirectory(atPath: note, withIntermediateDirectories: true)
            #expect(Self.refusal(run).isEmpty && FileManager.default.fileExists(atPath: "\(note).replaced-\(getpid())"))
        }
    }
}
