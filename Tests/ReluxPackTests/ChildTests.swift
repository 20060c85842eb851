import Foundation
import Testing

@testable import ReluxPack

@Suite struct ChildTests {
    @Test func `what a child leaves in its folder for temporary files goes with it`() throws {
        let result = try Child.run(["sh", "-c", #"mkdir "$TMPDIR/TemporaryDirectory.abc" && touch "$TMPDIR/TemporaryDirectory.abc/x" && echo "$TMPDIR"; echo words >&2"#])
        #expect(result.status == 0 && result.errors == "words\n", "\(result)")
        let folder = result.output.trimmingCharacters(in: .newlines)
        #expect(folder.hasPrefix(FileManager.default.temporaryDirectory.path) && !FileManager.default.fileExists(atPath: folder))
    }
}
