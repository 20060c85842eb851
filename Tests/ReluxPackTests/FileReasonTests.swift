import Foundation
import ReluxLoader
import ReluxPack
import ReluxTestKit
import Testing

@Suite struct FileReasonTests {
    @Test func `nothing is there behind a file, and a device is no regular file`() {
        #expect(FileReason.unread("/dev/null/manifest.json") == nil)
        #expect(FileReason.unread("/dev/null") == "it is no regular file")
    }

    @Test func `a pipe that nobody writes is no file, and is not waited for`() throws {
        let directory = TemporaryDirectory(isMade: true)
        let pipe = directory.file("pipe")
        try #require(mkfifo(pipe, 0o600) == 0)
        #expect(PlainFile.contents(pipe) == nil && FileReason.unread(pipe) == "it is no regular file")
        let error = #expect(throws: LoaderError.self) { try readFile(pipe) }
        #expect(error?.code == .unreadable)
    }
}
