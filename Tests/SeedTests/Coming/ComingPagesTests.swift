import Foundation
import Testing

/// The pages for people who come from elsewhere say what is compiled.
@Suite struct ComingPagesTests {
    private static let root = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../..").standardizedFileURL

    static let pages = [
        "Sources/ReluxFeature/ReluxFeature.docc/ComingFromTCA.md", "Sources/Relux/Relux.docc/ComingFromRelux.md",
        "Sources/Relux/Relux.docc/ComingFromReduxSaga.md", "Sources/ReluxOrchestration/ReluxOrchestration.docc/ComingFromForge.md",
        "Sources/ReluxIoC/ReluxIoC.docc/ComingFromSwiftIoC.md",
    ]

    private static func text(_ path: String) throws -> String { try String(contentsOf: root.appending(path: path), encoding: .utf8) }

    /// Blanks and line ends are one.
    private static func plain(_ text: String) -> String { text.split(whereSeparator: \.isWhitespace).joined(separator: " ") }

    /// The code of the last column of each row.
    static func rows(of page: String) -> [String] {
        page.split(separator: "\n").filter { $0.hasPrefix("| `") || $0.hasPrefix("| a ") || $0.hasPrefix("| an ") }
            .compactMap { row in row.split(separator: " | ").last?.split(separator: "`", omittingEmptySubsequences: false).dropFirst().first.map(String.init) }
    }

    @Test(arguments: pages) func `each row of a page for people from elsewhere is compiled`(_ path: String) throws {
        let page = try Self.text(path)
        let name = try #require(page.firstMatch(of: /`(Tests\/SeedTests\/Coming\/\w+\.swift)`/)?.output.1)
        let code = Self.plain(try Self.text(String(name)))
        let rows = Self.rows(of: page)
        #expect(rows.count >= 6)
        for row in rows { #expect(code.contains(Self.plain(row)), "\(name) has no `\(row)`") }
    }

    @Test func `a row that nobody compiles is found`() {
        #expect(Self.rows(of: "| There | Here |\n|---|---|\n| `a` | `b()` |\n| a word | `c`, or so |") == ["b()", "c"])
    }
}
