import Foundation

/// A test that a page of the docs names: `[name](path)`, the path from the page.
struct NamedTest {
    var name: String
    var path: String

    /// Of a line that is a link in a list and nothing else.
    init?(link line: String) {
        guard let link = line.wholeMatch(of: #/ +- \[(.+)\]\((.+)\)/#) else { return nil }
        (name, path) = (String(link.1), String(link.2))
    }

    /// nil when there is such a test.
    func problem(on page: URL) -> String? {
        let file = page.deletingLastPathComponent().appendingPathComponent(path).standardizedFileURL
        guard let text = try? String(contentsOf: file, encoding: .utf8) else { return "\(path) is not there" }
        // A long name may stand on a line of its own.
        return text.contains("`\(name)`(") ? nil : "\(path) has no test `\(name)`"
    }

    static func page(_ name: String) -> URL {
        URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
            .appendingPathComponent("Sources/ReluxBus/ReluxBus.docc").appendingPathComponent(name)
    }
}
