import Foundation

/// A test that a page of the docs names: `[name](path)`, the path from the page.
struct NamedTest {
    var name: String
    var path: String

    /// The target of a line that is a link in a list and nothing else.
    init?(link line: String) {
        guard let link = line.wholeMatch(of: #/ +- \[(.+)\]\((.+)\)/#) else { return nil }
        (name, path) = (String(link.1), String(link.2))
    }

    /// nil when there is such a test, and it runs.
    func problem(on page: URL) -> String? {
        let file = page.deletingLastPathComponent().appendingPathComponent(path).standardizedFileURL
        guard let text = try? String(contentsOf: file, encoding: .utf8) else { return "\(path) is not there" }
        return problem(in: text)
    }

    func problem(in text: String) -> String? {
        let lines = Self.code(of: text)
        guard let place = lines.firstIndex(where: { $0.contains("`\(name)`(") }) else { return "\(path) has no test `\(name)`" }
        // Its attributes may stand on lines of their own, and a long name too.
        var head = String(lines[place].prefix { $0 != "`" })
        for line in lines[..<place].reversed() where !head.contains("@Test") {
            if line.isEmpty || line == "}" { break }
            head = line + " " + head
        }
        guard head.contains("@Test"), head.hasSuffix("func ") else { return "`\(name)` of \(path) is no test" }
        let suites = lines.filter { $0.contains("@Suite") }
        return ([head] + suites).contains { $0.contains(".disabled") || $0.contains(".enabled(if: false") }
            ? "`\(name)` of \(path) is disabled" : nil
    }

    /// The lines without what is a comment as a whole line or more, and without what is compiled under a condition: whether it runs depends.
    private static func code(of text: String) -> [String] {
        var isComment = false
        var conditions = 0
        return text.components(separatedBy: "\n").compactMap { line in
            let line = line.trimmingCharacters(in: .whitespaces)
            if line.hasPrefix("/*") { isComment = true }
            guard isComment else {
                if line.hasPrefix("#if") { conditions += 1 }
                if line.hasPrefix("#endif") { conditions -= 1 }
                return line.hasPrefix("//") || line.hasPrefix("#endif") || conditions > 0 ? nil : line
            }
            if line.contains("*/") { isComment = false }
            return nil
        }
    }

    static func page(_ name: String) -> URL {
        URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
            .appendingPathComponent("Sources/ReluxBus/ReluxBus.docc").appendingPathComponent(name)
    }
}
