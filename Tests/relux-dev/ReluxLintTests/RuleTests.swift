import ReluxLayers
@testable import ReluxLint
import Testing

@Suite struct RuleTests {
    @Test(arguments: RuleExample.all)
    func `a rule catches its bad examples, at a line, and leaves its good ones alone`(_ example: RuleExample) {
        for sample in example.bad {
            let findings = sample.lint().findings
            #expect(!findings.isEmpty, "\(sample)")
            for finding in findings {
                #expect(finding.rule == example.rule, "\(finding)")
                #expect(finding.place.line > 0 && finding.place.column > 0)
            }
        }
        for sample in example.good {
            let findings = sample.lint().findings
            #expect(findings.isEmpty, "\(findings)")
        }
    }

    @Test func `every rule has examples, a name of its own, a reason and a remedy`() {
        // These two have tests of their own: they need the core's own package, and built libraries.
        let elsewhere: Set<LintRule> = [.coreToPlugin, .image]
        #expect(Set(RuleExample.all.map(\.rule)).union(elsewhere) == Set(LintRule.all))
        #expect(Set(LintRule.all.map(\.id)).count == LintRule.all.count)
        #expect(LintRule.all.allSatisfy { !$0.why.isEmpty && !$0.remedy.isEmpty })
    }

    @Test func `the core imports no plugin, but its tests may`() {
        let core = PackageModel(
            name: "relux-cluster", folder: "/core",
            targets: [
                .init(name: "Relux", kind: .regular, dependencies: []), .init(name: "ReluxBroker", kind: .regular, dependencies: []),
                .init(name: "BrokerTests", kind: .test, dependencies: []),
            ], products: [.init(name: "Relux", kind: .dynamic, targets: ["Relux"])])
        let auth = PackageModel(name: "Auth", folder: "/auth", targets: [.init(name: "AuthReluxInt", kind: .regular, dependencies: [])])
        let report = Linter(root: "/").check(
            [core, auth],
            [
                LintSource(package: "/core", target: "ReluxBroker", path: "a.swift", text: "import AuthReluxInt"),
                LintSource(package: "/core", target: "BrokerTests", path: "b.swift", text: "import AuthReluxInt"),
            ])
        #expect(report.findings.map(\.rule) == [.coreToPlugin])
        #expect(report.findings.map(\.place.file) == ["a.swift"])
    }

    @Test func `what is silenced is counted with its reason, and only where it stands`() throws {
        let text = """
            // lint:allow state.global: a process has one terminal
            // of this number of columns
            @MainActor
            private var columns = 80

            private var lines = 24
            """
        let report = Sample("AuthReluxImpl", text).lint()
        #expect(report.silenced.map(\.silencedBecause) == ["a process has one terminal"])
        #expect(report.findings.map(\.place.line) == [6])
    }
}
