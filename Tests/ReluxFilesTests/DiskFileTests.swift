import FoundationEssentials
import Glibc
import ReluxFiles
import ReluxTestKit
import Testing

@Suite struct DiskFileTests {
    private let directory = TemporaryDirectory()

    @Test func `a file is written with its folder, read, and removed once`() throws {
        let path = directory.path + "/a/b/file"
        #expect(try DiskFile.read(path) == nil && !DiskFile.isThere(path) && !DiskFile.remove(path))
        try DiskFile.write(Data("one".utf8), to: path)
        try DiskFile.write(Data("two".utf8), to: path)
        #expect(try DiskFile.read(path) == Data("two".utf8))
        var status = stat()
        #expect(stat(directory.path + "/a/b", &status) == 0 && status.st_mode & 0o777 == 0o700)
        #expect(try FileManager.default.contentsOfDirectory(atPath: directory.path + "/a/b") == ["file"])
        #expect(try DiskFile.remove(path) && !DiskFile.remove(path))
        #expect(try DiskFile.remove(directory.path + "/a") && !DiskFile.isThere(directory.path + "/a"))
    }

    @Test func `what cannot be seen is not taken for absent, and no pipe is waited at`() throws {
        let file = directory.path + "/file"
        try DiskFile.write(Data(), to: file)
        let error = #expect(throws: POSIXError.self) { try DiskFile.read(file + "/below") }
        #expect(error.map(DiskFile.reason) == "Not a directory")
        let pipe = directory.path + "/pipe"
        #expect(mkfifo(pipe, 0o600) == 0)
        let refusal = #expect(throws: DiskFile.Refusal.self) { try DiskFile.read(pipe) }
        #expect(refusal.map(DiskFile.reason) == "it is no regular file")
        #expect(symlink("nowhere", directory.path + "/link") == 0)
        #expect(try DiskFile.isThere(directory.path + "/link"))
    }

    @Test func `errors are told in the system's words, of JSON with the place`() throws {
        let file = directory.path + "/file"
        try DiskFile.write(Data(), to: file)
        do {
            try DiskFile.write(Data(), to: file + "/below")
            Issue.record("a folder was made of a file")
        } catch { #expect(["Not a directory", "File exists"].contains(DiskFile.reason(of: error)), "\(error)") }
        let wrong: [(json: String, reason: String)] = [
            (#"{"a": {"b": "x"}}"#, "at 'a.b': "), (#"{"a": {}}"#, "at 'a': there is no 'b'"), ("{}", "there is no 'a'"), ("{", ""),
        ]
        for (json, reason) in wrong {
            do {
                _ = try JSONDecoder().decode(Outer.self, from: Data(json.utf8))
                Issue.record("\(json) was taken")
            } catch {
                let text = DiskFile.reason(of: error)
                #expect(text.hasPrefix(reason) && !text.isEmpty && !text.contains("\n"), "\(text)")
            }
        }
    }

    private struct Outer: Codable {
        struct Inner: Codable { var b: Int }
        var a: Inner
    }
}
