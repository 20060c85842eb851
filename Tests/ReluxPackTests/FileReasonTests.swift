import ReluxPack
import Testing

@Suite struct FileReasonTests {
    @Test func `nothing is there behind a file, and a device is no regular file`() {
        #expect(FileReason.unread("/dev/null/manifest.json") == nil)
        #expect(FileReason.unread("/dev/null") == "it is no regular file")
    }
}
