import ReluxLayers
@testable import ReluxLint
import Testing

@Suite struct LayeringScenarios {
    private static let domain = [
        "Auth/Sources/AuthModels/M.swift": "import Foundation",
        "Auth/Sources/AuthReluxInt/I.swift": "public import AuthModels\npublic import Relux",
        "Auth/Sources/AuthReluxImpl/R.swift": "import AuthReluxInt\nimport AuthServiceImpl",
        "Auth/Sources/AuthServiceInt/S.swift": "public import AuthModels",
        "Auth/Sources/AuthServiceImpl/S.swift": "import AuthModels\nimport AuthServiceInt",
        "Auth/Sources/AuthCrypto/C.swift": "import Foundation",
        "AuthUI/Sources/AuthUI/V.swift": "import AuthReluxInt",
    ]

    /// The findings when files of the sound domain are replaced, as `file:line rule`.
    private func broken(_ files: [String: String]) -> [String] {
        #expect(Sample(Self.domain).lint().findings.isEmpty)
        return Sample(Self.domain.merging(files) { $1 }).lint().findings.map { "\($0.place.file):\($0.place.line) \($0.rule.id)" }
    }

    @Test
    func
        `Given ServiceImpl importing ReluxInt, when linted, then it fails naming file, line and rule; the same for UI→Impl, Models→anything, Int→Impl, transitive imports included`()
    {
        let service = "Auth/Sources/AuthServiceImpl/S.swift"
        #expect(broken([service: "import AuthModels\n\nimport AuthReluxInt"]) == ["\(service):3 layer.serviceImpl"])
        let view = "AuthUI/Sources/AuthUI/V.swift"
        #expect(broken([view: "import AuthReluxInt\nimport AuthReluxImpl"]) == ["\(view):2 layer.ui"])
        #expect(broken([view: "import AuthServiceImpl"]) == ["\(view):1 layer.ui"])
        let models = "Auth/Sources/AuthModels/M.swift"
        #expect(broken([models: "import Foundation\nimport Relux"]) == ["\(models):2 layer.models"])
        #expect(broken([models: "import AuthServiceInt"]) == ["\(models):1 layer.models"])
        let interface = "Auth/Sources/AuthReluxInt/I.swift"
        #expect(broken([interface: "public import AuthModels\ninternal import AuthReluxImpl"]) == ["\(interface):2 layer.reluxInt"])
        #expect(broken([interface: "import AuthServiceImpl"]) == ["\(interface):1 layer.reluxInt"])
        #expect(
            broken(["Auth/Sources/AuthServiceInt/S.swift": "import AuthServiceImpl"]) == [
                "Auth/Sources/AuthServiceInt/S.swift:1 layer.serviceInt"
            ])

        // Through a module that may import anything, and through two.
        let helper = "Auth/Sources/AuthCrypto/C.swift"
        #expect(broken([service: "import AuthCrypto", helper: "import AuthReluxInt"]) == ["\(service):1 layer.serviceImpl"])
        #expect(broken([view: "import AuthCrypto", helper: "import AuthReluxImpl"]) == ["\(view):1 layer.ui"])
        #expect(
            broken([
                models: "import AuthCrypto", helper: "import AuthTables", "Auth/Sources/AuthTables/T.swift": "import Relux",
            ]) == ["\(models):1 layer.models"])
        let chain = Sample(Self.domain.merging([interface: "import AuthCrypto", helper: "import AuthReluxImpl"]) { $1 }).lint().findings
        #expect(chain.map(\.message) == ["AuthReluxInt imports AuthCrypto, which leads to AuthReluxImpl"])
    }

    @Test func `a dependency in the manifest is found at its line, without any import`() throws {
        let report = Sample(links: [
            "AuthServiceImpl": [.product("AuthModels", package: "Auth-Self"), .product("AuthReluxInt", package: "Auth-Self")],
            "AuthReluxInt": [], "AuthModels": [],
        ]).lint()
        let finding = try #require(report.findings.first)
        #expect(report.findings.count == 1)
        #expect(finding.rule == .serviceImpl)
        #expect(finding.place.file == "Auth/Package.swift" && finding.place.line == 15, "\(finding.place)")
    }
}
