import Foundation
import Testing

/// The page of guarantees promises nothing that no test would miss.
@Suite struct GuaranteesTests {
    private struct Promise {
        var sentence: String
        var tests: [NamedTest] = []
    }

    private static let page = NamedTest.page("Guarantees.md")

    @Test func `each sentence of the promise names a test that exists`() throws {
        let promises = try Self.promises(in: String(contentsOf: Self.page, encoding: .utf8))
        #expect(promises.count >= 25)
        for promise in promises {
            #expect(!promise.tests.isEmpty, "no test would miss it: \(promise.sentence)")
            for test in promise.tests { #expect(test.problem(on: Self.page) == nil, "\(promise.sentence)") }
        }
    }

    @Test func `a sentence without a test, and a test that does not exist, are found`() throws {
        let page = """
            ## What is promised
            - It is so.
            - It is that, too,
              as we say.
              - [a test that nobody wrote](../../../Tests/ReluxBusTests/GuaranteesTests.swift)
              - [each sentence of the promise names a test that exists](../../../Tests/ReluxBusTests/Guarantees.swift)
            ## What is not promised
            - More.
            """
        let promises = Self.promises(in: page)
        #expect(promises.map(\.sentence) == ["It is so.", "It is that, too, as we say."])
        #expect(promises.map(\.tests.count) == [0, 2])
        #expect(promises[1].tests.compactMap { $0.problem(on: Self.page) }.count == 2)
    }

    private static func promises(in page: String) -> [Promise] {
        var promises: [Promise] = []
        var isInside = false
        for line in page.components(separatedBy: "\n") {
            if line.hasPrefix("## ") { isInside = line == "## What is promised" }
            guard isInside else { continue }
            if line.hasPrefix("- ") {
                promises.append(Promise(sentence: String(line.dropFirst(2))))
            } else if let test = NamedTest(link: line), let last = promises.indices.last {
                promises[last].tests.append(test)
            } else if line.hasPrefix("  "), let last = promises.indices.last {
                promises[last].sentence += " " + line.trimmingCharacters(in: .whitespaces)
            }
        }
        return promises
    }
}
