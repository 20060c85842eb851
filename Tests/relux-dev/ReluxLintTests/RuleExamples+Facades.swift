import ReluxLayers
@testable import ReluxLint

/// Examples of a layer's contents, kits, a domain in two packages, views of many domains, and declarations.
extension RuleExample {
    static let facades: [RuleExample] = [
        RuleExample(
            rule: .kit,
            bad: [
                Sample(["Auth/Sources/AuthKit/A.swift": "@_exported public import AuthReluxImpl", "Auth/Sources/AuthReluxImpl/B.swift": ""]),
                Sample(["Auth/Sources/AuthKit/A.swift": "@_exported public import AuthServiceInt", "Auth/Sources/AuthServiceInt/B.swift": ""]),
                Sample(
                    ["Auth/Sources/AuthKit/A.swift": "", "Auth/Sources/AuthReluxInt/B.swift": "", "Auth/Sources/AuthServiceImpl/C.swift": ""],
                    links: ["AuthKit": [.product("AuthServiceImpl", package: "Auth-Self")]]),
                Sample(["Auth/Sources/AuthKit/A.swift": "@_exported public import ReluxTestKit", "Auth/Sources/AuthReluxInt/B.swift": ""]),
                // The domain itself has no need of it.
                Sample(["Auth/Sources/AuthReluxImpl/A.swift": "import AuthKit", "Auth/Sources/AuthKit/B.swift": "", "Auth/Sources/AuthModels/C.swift": ""]),
                Sample(["Auth/Sources/AuthKit/A.swift": "public func login() {}", "Auth/Sources/AuthModels/B.swift": ""]),
                Sample(["Auth/Sources/AuthKit/A.swift": "public import AuthModels", "Auth/Sources/AuthModels/B.swift": ""]),
            ],
            good: [
                Sample([
                    "Auth/Sources/AuthKit/A.swift":
                        "@_exported public import AuthModels\n@_exported public import AuthReluxInt\n@_exported public import Relux",
                    "Auth/Sources/AuthModels/B.swift": "", "Auth/Sources/AuthReluxInt/C.swift": "",
                    "AuthUI/Sources/AuthUI/D.swift": "import AuthKit",
                    "DataOrchestration/Sources/DataOrchestrationImpl/E.swift": "internal import AuthKit",
                    "Auth/Tests/AuthTests/F.swift": "import AuthKit",
                ]),
                // Nobody's domain: only another word.
                Sample("PaintKit", "public func paint() {}"),
            ]),
        RuleExample(
            rule: .serviceContents,
            bad: [
                Sample("AuthServiceInt", "public struct Session: Sendable {}"),
                Sample("AuthServiceInt", "extension Auth { public enum Business { public protocol IService {} } }"),
            ],
            good: [
                Sample(
                    "AuthServiceInt",
                    "extension Auth.Business {\npublic protocol IService: Sendable {\nassociatedtype Item\nfunc items() async -> [Item] }\n"
                        + "public typealias Items = [Int] }\nextension Auth.Business.IService { public func none() -> Bool { true } }")
            ]),
        RuleExample(
            rule: .split,
            bad: [
                Sample([
                    "AuthInterfaces/Sources/AuthReluxInt/A.swift": "", "AuthInterfaces/Sources/AuthServiceImpl/B.swift": "",
                ]),
                Sample(["AuthInterfaces/Sources/AuthReluxInt/A.swift": ""], neighbours: ["AuthInterfaces": ["AuthImplementations"]]),
            ],
            good: [
                Sample(
                    [
                        "AuthInterfaces/Sources/AuthModels/A.swift": "",
                        "AuthInterfaces/Sources/AuthReluxInt/B.swift": "public import AuthModels",
                        "AuthInterfaces/Sources/AuthTestSupport/C.swift": "import AuthReluxInt",
                        "AuthImplementations/Sources/AuthServiceImpl/D.swift": "import AuthModels",
                        "AuthImplementations/Sources/AuthReluxImpl/E.swift": "import AuthReluxInt\nimport AuthServiceImpl",
                        "AuthImplementations/Tests/AuthTests/F.swift": "@testable import AuthReluxImpl\nimport AuthTestSupport",
                    ], neighbours: ["AuthImplementations": ["AuthInterfaces"]])
            ]),
        RuleExample(
            rule: .userInterface,
            bad: [
                // An app's own view, over many domains, and the program of a user interface.
                Sample(["AppUI/Sources/AppUI/A.swift": "import AuthReluxImpl", "Auth/Sources/AuthReluxImpl/B.swift": ""]),
                Sample([
                    "AuthUI/Sources/AuthUI/A.swift": "", "AuthUI/Sources/AuthUIMain/B.swift": "import AuthServiceImpl",
                    "Auth/Sources/AuthServiceImpl/C.swift": "", "Auth/Sources/AuthModels/D.swift": "",
                ]),
                Sample(["AppUI/Sources/AppUI/A.swift": "import AuthCrypto", "Auth/Sources/AuthCrypto/B.swift": "", "Auth/Sources/AuthModels/C.swift": ""]),
            ],
            good: [
                Sample([
                    "AppUI/Sources/AppUI/A.swift": "import AuthReluxInt\nimport NotesModels\nimport AuthUIAPI\nimport Relux",
                    "AppUI/Sources/AppUIMain/B.swift": "import AppUI\nimport Relux", "Auth/Sources/AuthReluxInt/C.swift": "",
                    "Notes/Sources/NotesModels/D.swift": "", "AuthUI/Sources/AuthUIAPI/E.swift": "",
                ])
            ]),
        RuleExample(
            rule: .reluxImpl,
            bad: [Sample(["Auth/Sources/AuthReluxImpl/A.swift": "import AppUI", "AppUI/Sources/AppUI/B.swift": ""])], good: []),
        RuleExample(
            rule: .declaration,
            bad: [
                Sample("DataOrchestrationImpl", module("DataOrchestration", "domain")),
                Sample("AuthReluxImpl", module("Auth", "orchestrator")),
                Sample("AuthReluxImpl", module("Authentication", "domain")),
                Sample("AuthReluxImpl", "struct Module: Relux.Plugin { static let moduleID: ModuleID = \"Login\" }"),
            ],
            good: [
                Sample("DataOrchestrationImpl", module("DataOrchestration", "orchestrator")),
                Sample("LogReluxImpl", module("Log", "infrastructure")),
                Sample("AuthReluxImpl", "extension Auth { struct Module: Relux.Plugin {} }"),
                // A user interface is a process beside the cluster, in the last phase.
                Sample([
                    "AuthUI/Sources/AuthUI/A.swift": module("AuthUI", "orchestrator"),
                    "Auth/Sources/AuthModels/B.swift": "",
                ]),
            ]),
    ]

    private static func module(_ name: String, _ kind: String) -> String {
        "extension \(name) { struct Module: Relux.Plugin { static var kind: Relux.ModuleKind { .\(kind) } } }"
    }
}
