import Foundation
import Testing

/// The page of scenarios leaves none out, and each names tests that exist.
@Suite struct ScenariosTests {
    private struct Scenario {
        var number: Int
        var tests: [NamedTest] = []
    }

    /// The number that the seed documents give.
    private static let count = 67
    private static let page = NamedTest.page("Scenarios.md")

    @Test func `each scenario of the seeds names a test that exists`() throws {
        let scenarios = try Self.scenarios(in: String(contentsOf: Self.page, encoding: .utf8))
        #expect(scenarios.map(\.number) == Array(1...Self.count))
        for scenario in scenarios {
            #expect(!scenario.tests.isEmpty, "no test shows scenario \(scenario.number)")
            for test in scenario.tests { #expect(test.problem(on: Self.page) == nil, "scenario \(scenario.number)") }
        }
    }

    @Test func `a scenario that is left out, or has no test, is found`() {
        let page = """
            1. Given this, then that.
               - [a test that nobody wrote](../../../Tests/ReluxBusTests/ScenariosTests.swift)
            3. Given that, then this.
            """
        let scenarios = Self.scenarios(in: page)
        #expect(scenarios.map(\.number) == [1, 3])
        #expect(scenarios.map(\.tests.count) == [1, 0])
        #expect(scenarios[0].tests[0].problem(on: Self.page) != nil)
    }

    @Test(arguments: [
        "@Test func `it is`() {}", "    @Test(arguments: [1])\n    func `it is`(n: Int) {}", "/// Why.\n@Test\n// This, too.\nfunc\n`it is`()",
        "#if false\nlet a = 1\n#endif\n@Test func `it is`() {}", "#if os(Linux)\n#else\n#endif // os\n@Test func `it is`() {}",
        "@Suite struct S {\n/* An example:\n   more */\n@Test func `it is`() {}\n}",
    ])
    func `a test that runs is one`(text: String) throws {
        let test = try #require(NamedTest(link: "   - [it is](S.swift)"))
        #expect(test.problem(in: text) == nil)
    }

    @Test(arguments: [
        "", "// @Test func `it is`() {}", "@Test func `it was`() {}\n\nfunc `it is`() {}", "// @Test\nfunc `it is`() {}",
        "/*\n@Test func `it is`() {}\n*/", #"@Test(.disabled("flaky")) func `it is`() {}"#, "@Test(\n.disabled())\nfunc `it is`() {}",
        "#if false\n@Test func `it is`() {}\n#endif", "#if true\n#if !false\n#endif\n#elseif RARELY\n@Test func `it is`() {}\n#endif",
        "@Suite(.serialized, .disabled()) struct S {\n@Test func `it is`() {}\n}", "@Test(.enabled(if: false)) func `it is`() {}",
    ])
    func `a test that is commented out, not compiled, disabled or none is found`(text: String) throws {
        let test = try #require(NamedTest(link: "   - [it is](S.swift)"))
        #expect(test.problem(in: text) != nil)
    }

    private static func scenarios(in page: String) -> [Scenario] {
        var scenarios: [Scenario] = []
        for line in page.components(separatedBy: "\n") {
            if let item = line.prefixMatch(of: #/(\d+)\. /#), let number = Int(item.1) {
                scenarios.append(Scenario(number: number))
            } else if let test = NamedTest(link: line), let last = scenarios.indices.last {
                scenarios[last].tests.append(test)
            }
        }
        return scenarios
    }
}
