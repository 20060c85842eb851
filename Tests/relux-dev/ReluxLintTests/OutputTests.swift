import Foundation
import ReluxLayers
@testable import ReluxLint
import Testing

@Suite struct OutputTests {
    private let report = Sample(
        "AuthReluxImpl",
        "func done() { NotificationCenter.default.post(name: .done, object: nil) }\nvar columns = 80  // lint:allow state.global: one terminal"
    ).lint()

    private func object(_ text: String) throws -> [String: Any] {
        try #require(try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any])
    }

    @Test func `people read place, rule, reason and remedy`() {
        let lines = FindingText.lines(report)
        #expect(lines.count == 3)
        #expect(
            lines[0]
                == "Auth/Sources/AuthReluxImpl/File.swift:1:15: [state.notificationCenter] NotificationCenter carries what belongs into an action"
        )
        #expect(lines[1].hasPrefix("    why: ") && lines[2].hasPrefix("    fix: "))
        #expect(FindingText.summary(report) == "1 finding; 2 files of 1 targets, 1 silenced")
    }

    @Test func `programs read the same as JSON`() throws {
        let json = try object(FindingJSON(report).text)
        #expect(json["schema"] as? String == "relux.lint/1")
        let finding = try #require((json["findings"] as? [[String: Any]])?.first)
        #expect(finding["rule"] as? String == "state.notificationCenter")
        #expect(finding["line"] as? Int == 1 && finding["column"] as? Int == 15)
        #expect(finding["remedy"] as? String == LintRule.notificationCenter.remedy)
        #expect((json["silenced"] as? [[String: Any]])?.first?["reason"] as? String == "one terminal")
    }

    @Test func `scanners read SARIF with every rule, the place and the suppression`() throws {
        let json = try object(SARIF(report).text)
        #expect(json["version"] as? String == "2.1.0")
        let run = try #require((json["runs"] as? [[String: Any]])?.first)
        let driver = try #require((run["tool"] as? [String: Any])?["driver"] as? [String: Any])
        let rules = try #require(driver["rules"] as? [[String: Any]])
        #expect(rules.count == LintRule.all.count)
        let results = try #require(run["results"] as? [[String: Any]])
        #expect(results.count == 2)
        let index = try #require(results[0]["ruleIndex"] as? Int)
        #expect(rules[index]["id"] as? String == results[0]["ruleId"] as? String)
        let location = try #require((results[0]["locations"] as? [[String: Any]])?.first?["physicalLocation"] as? [String: Any])
        #expect((location["artifactLocation"] as? [String: Any])?["uri"] as? String == "Auth/Sources/AuthReluxImpl/File.swift")
        #expect((location["region"] as? [String: Any])?["startLine"] as? Int == 1)
        #expect((results[1]["suppressions"] as? [[String: Any]])?.first?["justification"] as? String == "one terminal")
    }
}
