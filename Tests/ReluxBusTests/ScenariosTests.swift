import Foundation
import Testing

/// The page of scenarios leaves none out, and each names tests that exist.
@Suite struct ScenariosTests {
    private struct Scenario {
        var number: Int
        var tests: [NamedTest] = []
    }

    /// So many do the seed documents give.
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
