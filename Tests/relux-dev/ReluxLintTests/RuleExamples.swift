import ReluxLayers
@testable import ReluxLint
import Testing

/// For each rule what it catches, and what looks much like it and is left alone.
struct RuleExample: Sendable, CustomTestStringConvertible {
    let rule: LintRule
    let bad: [Sample]
    let good: [Sample]

    var testDescription: String { rule.id }

    static let all = layering + facades + between + linking + patterns + orchestration
}

extension RuleExample {
    private static let layering: [RuleExample] = [
        RuleExample(
            rule: .models,
            bad: [
                Sample("AuthModels", "public import Relux"),
                Sample(["Auth/Sources/AuthModels/A.swift": "import AuthReluxInt", "Auth/Sources/AuthReluxInt/B.swift": ""]),
                Sample(links: ["AuthModels": [.product("GRDB-dynamic", package: "GRDB.swift")]]),
            ],
            good: [Sample("AuthModels", "import Foundation")]),
        RuleExample(
            rule: .reluxInt,
            bad: [
                Sample(["Auth/Sources/AuthReluxInt/A.swift": "import AuthReluxImpl", "Auth/Sources/AuthReluxImpl/B.swift": ""]),
                Sample("AuthReluxInt", "import ReluxTestKit"),
            ],
            good: [
                Sample([
                    "Auth/Sources/AuthReluxInt/A.swift": "public import AuthModels\npublic import Relux",
                    "Auth/Sources/AuthModels/B.swift": "",
                ])
            ]),
        RuleExample(
            rule: .serviceInt,
            bad: [Sample("AuthServiceInt", "public import Relux")],
            good: [Sample(["Auth/Sources/AuthServiceInt/A.swift": "public import AuthModels", "Auth/Sources/AuthModels/B.swift": ""])]),
        RuleExample(
            rule: .serviceImpl,
            bad: [
                Sample([
                    "Auth/Sources/AuthServiceImpl/A.swift": "#if os(Linux)\n@testable import AuthReluxInt\n#endif",
                    "Auth/Sources/AuthReluxInt/B.swift": "",
                ]),
                Sample("AuthServiceImpl", "import struct ReluxIoC.IoC"),
                Sample(
                    [
                        "Auth/Sources/AuthServiceImpl/A.swift": "import AuthModels", "Auth/Sources/AuthModels/B.swift": "",
                        "Profile/Sources/ProfileReluxInt/C.swift": "",
                    ],
                    links: [
                        "AuthServiceImpl": [.product("ProfileReluxInt", package: "Profile")]
                    ]),
            ],
            good: [
                Sample([
                    "Auth/Sources/AuthServiceImpl/A.swift": "import AuthServiceInt\nimport CSodium\nimport GRDB\nimport ReluxFiles\nimport ReluxStorage",
                    "Auth/Sources/AuthServiceInt/B.swift": "",
                ])
            ]),
        RuleExample(
            rule: .reluxImpl,
            bad: [
                Sample([
                    "Auth/Sources/AuthReluxImpl/A.swift": "import AuthUI", "AuthUI/Sources/AuthUI/B.swift": "",
                    "Auth/Sources/AuthModels/C.swift": "",
                ])
            ],
            good: [
                Sample([
                    "Auth/Sources/AuthReluxImpl/A.swift": "import AuthServiceImpl\nimport ReluxIoC",
                    "Auth/Sources/AuthServiceImpl/B.swift": "",
                ])
            ]),
        RuleExample(
            rule: .testSupport,
            bad: [Sample(["Auth/Sources/AuthTestSupport/A.swift": "import AuthServiceImpl", "Auth/Sources/AuthServiceImpl/B.swift": ""])],
            good: [
                Sample([
                    "Auth/Sources/AuthTestSupport/A.swift": "import AuthServiceInt\nimport ReluxTestKit",
                    "Auth/Sources/AuthServiceInt/B.swift": "",
                ])
            ]),
        RuleExample(
            rule: .userInterface,
            bad: [
                Sample([
                    "AuthUI/Sources/AuthUI/A.swift": "import AuthReluxImpl", "Auth/Sources/AuthReluxImpl/B.swift": "",
                    "Auth/Sources/AuthModels/C.swift": "",
                ])
            ],
            good: [Sample(["AuthUI/Sources/AuthUI/A.swift": "import AuthReluxInt", "Auth/Sources/AuthReluxInt/B.swift": ""])]),
    ]

    private static let between: [RuleExample] = [
        RuleExample(
            rule: .implementation,
            bad: [
                Sample([
                    "DataOrchestration/Sources/DataOrchestrationImpl/A.swift": "import AuthReluxImpl",
                    "Auth/Sources/AuthReluxImpl/B.swift": "",
                ]),
                Sample([
                    "Auth/Sources/AuthReluxImpl/A.swift": "", "Auth/Tests/AuthTests/B.swift": "import NotesServiceImpl",
                    "Notes/Sources/NotesServiceImpl/C.swift": "",
                ]),
            ],
            good: [Sample(["Auth/Sources/AuthReluxImpl/A.swift": "", "Auth/Tests/AuthTests/B.swift": "@testable import AuthReluxImpl"])]),
        RuleExample(
            rule: .serviceOfAnother,
            bad: [Sample(["Notes/Sources/NotesReluxImpl/A.swift": "import AuthServiceInt", "Auth/Sources/AuthServiceInt/B.swift": ""])],
            good: [Sample(["Notes/Sources/NotesReluxImpl/A.swift": "import NotesServiceInt", "Notes/Sources/NotesServiceInt/B.swift": ""])]),
        RuleExample(
            rule: .domainToDomain,
            bad: [Sample(["Notes/Sources/NotesReluxImpl/A.swift": "import AuthReluxInt", "Auth/Sources/AuthReluxInt/B.swift": ""])],
            good: [
                Sample([
                    "Notes/Sources/NotesReluxImpl/A.swift": "import LogReluxInt", "Log/Sources/LogReluxInt/B.swift": "",
                    "Log/Sources/LogReluxImpl/C.swift": infrastructure,
                ])
            ]),
        RuleExample(
            rule: .infrastructureToDomain,
            bad: [
                Sample(["Log/Sources/LogReluxImpl/A.swift": infrastructure + "\nimport AuthModels", "Auth/Sources/AuthModels/B.swift": ""])
            ],
            good: [
                Sample([
                    "Log/Sources/LogReluxImpl/A.swift": infrastructure + "\nimport PathReluxInt", "Path/Sources/PathReluxInt/B.swift": "",
                    "Path/Sources/PathReluxImpl/C.swift": infrastructure,
                ])
            ]),
        RuleExample(
            rule: .toOrchestrator,
            bad: [
                Sample([
                    "Auth/Sources/AuthReluxImpl/A.swift": "import DataOrchestrationImpl",
                    "DataOrchestration/Sources/DataOrchestrationImpl/B.swift": "",
                ])
            ],
            good: [
                Sample([
                    "DataOrchestration/Sources/DataOrchestrationImpl/A.swift": "import AuthReluxInt",
                    "Auth/Sources/AuthReluxInt/B.swift": "",
                ])
            ]),
        RuleExample(
            rule: .orchestratorToOrchestrator,
            bad: [
                Sample([
                    "DataOrchestration/Sources/DataOrchestrationImpl/A.swift": "import SessionOrchestrationImpl",
                    "SessionOrchestration/Sources/SessionOrchestrationImpl/B.swift": "",
                ]),
                Sample(links: [
                    "DataOrchestrationImpl": [.product("SessionOrchestrationImpl", package: "SessionOrchestration")],
                    "SessionOrchestrationImpl": [],
                ]),
            ],
            good: [
                Sample([
                    "DataOrchestration/Sources/DataOrchestrationImpl/A.swift": "import NotesReluxInt\nimport Relux",
                    "Notes/Sources/NotesReluxInt/B.swift": "",
                ])
            ]),
    ]

    private static let infrastructure = "struct Module: Relux.Plugin { static var kind: Relux.ModuleKind { .infrastructure } }"

    private static let linking: [RuleExample] = [
        RuleExample(
            rule: .plainTarget,
            bad: [Sample(links: ["AuthReluxImpl": [.target("AuthModels")], "AuthModels": []])],
            good: [Sample(links: ["AuthReluxImpl": [.product("AuthModels", package: "Auth-Self")], "AuthModels": []])]),
        RuleExample(
            rule: .product,
            bad: [
                Sample("AuthModels", "", products: []), Sample("AuthReluxInt", "", products: ["AuthReluxInt", "AuthInterfaces"]),
                Sample("AuthServiceInt", "", products: ["AuthInterfaces"]),
            ],
            good: [Sample("AuthModels", "", products: ["AuthModels"]), Sample("AuthCrypto", "", products: [])]),
        RuleExample(
            rule: .productType,
            bad: [Sample("AuthModels", "", kind: .automatic), Sample("AuthTestSupport", "", kind: .dynamic)],
            good: [Sample("AuthModels", ""), Sample("AuthTestSupport", "", kind: .automatic)]),
    ]
}

extension Sample {
    init(_ target: String, _ text: String, kind: PackageModel.Product.Kind) {
        self.init(target, text)
        kinds = [target: kind]
    }

    /// A target with libraries of these names.
    init(_ target: String, _ text: String, products names: [String]) {
        self.init(target, text)
        products = [target: names]
    }
}
