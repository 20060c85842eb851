import Foundation
import ReluxLayers
@testable import ReluxLint
import Testing

/// The handbook's page of rules has every rule, and none that is not there.
@Suite struct RulesPageTests {
    @Test func `every rule stands in the table of sentences, and every name there is a rule`() throws {
        let page = try String(contentsOfFile: Checkout.root + "/Sources/ReluxPlugin/ReluxPlugin.docc/LintRules.md", encoding: .utf8)
        var named: Set<String> = []
        for word in page.components(separatedBy: "`") where word.wholeMatch(of: /[a-z]+\.[a-zA-Z]+/) != nil { named.insert(word) }
        // A code of the packer's, and no rule.
        #expect(named.subtracting(["loader.missing"]) == Set(LintRule.all.map(\.id)))
    }
}
