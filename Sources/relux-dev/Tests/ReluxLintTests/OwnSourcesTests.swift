import Foundation
@testable import ReluxLint
import Testing

@Suite struct OwnSourcesTests {
    @Test func `Relux, its plugins and its tools break no rule`() throws {
        let folders = Linter.packages(below: Checkout.root)
        #expect(folders.contains(Checkout.root) && folders.contains(Checkout.root + "/Sources/relux-dev"))
        #expect(folders.contains(Checkout.root + "/Plugins/Notes"))
        let report = try Linter(root: Checkout.root).lint(folders)
        #expect(report.findings.isEmpty, "\n\(FindingText.lines(report).joined(separator: "\n"))\n")
        #expect(report.files > 500 && report.targets > 60)
        #expect(report.silenced.allSatisfy { $0.silencedBecause?.isEmpty == false })
    }
}
