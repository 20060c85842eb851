import Foundation
import PageKit
import Testing

/// The pages about the authors' tools.
@Suite struct PagesTests {
    @Test func `what the pages show is what relux-dev prints`() async throws {
        // The package has its tests by a link.
        let file = URL(fileURLWithPath: #filePath).resolvingSymlinksInPath()
        let root = file.pathComponents.dropLast(4).reduce(URL(fileURLWithPath: "/")) { $0.appendingPathComponent($1) }.path
        let built = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath().deletingLastPathComponent().path
        let pages = try Pages.executed(by: file.path, in: root)
        #expect(!pages.isEmpty, "no page names this test")
        for page in pages {
            let scratch = FileManager.default.temporaryDirectory.appendingPathComponent("relux-pages-\(UUID().uuidString)").path
            defer { try? FileManager.default.removeItem(atPath: scratch) }
            for folder in ["/programs", "/work"] {
                try FileManager.default.createDirectory(atPath: scratch + folder, withIntermediateDirectories: true)
            }
            // `relux` finds it by name; here is no `relux`.
            try FileManager.default.createSymbolicLink(atPath: scratch + "/programs/relux", withDestinationPath: built + "/relux-dev")
            var environment = ProcessInfo.processInfo.environment.filter { !$0.key.hasPrefix("RELUX_") }
            environment["PATH"] = "\(scratch)/programs:\(environment["PATH"] ?? "")"
            let run = PlainPageRun(in: page.page.isInCheckout ? root : scratch + "/work", environment: environment)
            for wrong in try await run.play(page.page) { Issue.record("\(page.path): \(wrong)") }
        }
    }
}
