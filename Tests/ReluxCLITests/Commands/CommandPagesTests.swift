import Foundation
import PageKit
import ReluxTestKit
import Testing

/// The pages whose commands need no cluster.
@Suite struct CommandPagesTests {
    @Test func `what the pages show is what relux prints`() async throws {
        let root = URL(filePath: #filePath).appending(path: "../../../..").standardizedFileURL.path
        let built = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath().deletingLastPathComponent().path
        let pages = try Pages.executed(by: #filePath, in: root)
        #expect(!pages.isEmpty, "no page names this test")
        for page in pages {
            let scratch = TemporaryDirectory(isMade: true)
            let run = PlainPageRun(
                in: page.page.isInCheckout ? root : scratch.path,
                environment: [
                    "PATH": "\(built):/usr/local/bin:/usr/bin:/bin", "HOME": scratch.path, "RELUX_RUN": scratch.path + "/run", "NO_COLOR": "1",
                    "LD_LIBRARY_PATH": ProcessInfo.processInfo.environment["LD_LIBRARY_PATH"] ?? "",
                ])
            for wrong in try await run.play(page.page) { Issue.record("\(page.path): \(wrong)") }
        }
    }
}
