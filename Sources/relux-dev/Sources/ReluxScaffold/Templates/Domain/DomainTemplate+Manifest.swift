extension DomainTemplate {
    static let manifest: [(path: String, text: String)] = [
        (
            "Package.swift",
            ##"""
            // swift-tools-version: 6.2
            import PackageDescription

            // Every dependency inside the package is a product of the self-reference, so that each layer is one image in a process.
            let strict: [SwiftSetting] = [
                .treatAllWarnings(as: .error),
                .enableUpcomingFeature("ExistentialAny"),
                .enableUpcomingFeature("InternalImportsByDefault"),
                .enableUpcomingFeature("MemberImportVisibility"),
            ]

            // `relux generate` writes the dependencies of targets, from what they import.
            let package = Package(
                name: "__D__",
                products: [
                    .library(name: "__D__Models", type: .dynamic, targets: ["__D__Models"]),
                    .library(name: "__D__ReluxInt", type: .dynamic, targets: ["__D__ReluxInt"]),
                    .library(name: "__D__ServiceInt", type: .dynamic, targets: ["__D__ServiceInt"]),
                    .library(name: "__D__ServiceImpl", type: .dynamic, targets: ["__D__ServiceImpl"]),
                    .library(name: "__D__ReluxImpl", type: .dynamic, targets: ["__D__ReluxImpl"]),
                    .library(name: "__D__TestSupport", type: .static, targets: ["__D__TestSupport"]),
                ],
                dependencies: [
                    .package(name: "__D__-Self", path: "."),
                    .package(name: "relux-cluster", path: "__CORE__"),
                    .package(path: "__PLUGINS__/ErrorHandling"),
                    .package(path: "__PLUGINS__/Navigation"),
                ],
                targets: [
                    .target(name: "__D__Models", swiftSettings: strict),
                    .target(
                        name: "__D__ReluxInt",
                        dependencies: [
                            .product(name: "__D__Models", package: "__D__-Self"),
                            .product(name: "Relux", package: "relux-cluster"),
                        ],
                        exclude: ["__D__.contract.json"],
                        swiftSettings: strict
                    ),
                    .target(
                        name: "__D__ServiceInt",
                        dependencies: [
                            .product(name: "__D__Models", package: "__D__-Self"),
                        ],
                        swiftSettings: strict
                    ),
                    .target(
                        name: "__D__ServiceImpl",
                        dependencies: [
                            .product(name: "__D__Models", package: "__D__-Self"),
                            .product(name: "__D__ServiceInt", package: "__D__-Self"),
                        ],
                        swiftSettings: strict
                    ),
                    .target(
                        name: "__D__ReluxImpl",
                        dependencies: [
                            .product(name: "__D__Models", package: "__D__-Self"),
                            .product(name: "__D__ReluxInt", package: "__D__-Self"),
                            .product(name: "__D__ServiceInt", package: "__D__-Self"),
                            .product(name: "__D__ServiceImpl", package: "__D__-Self"),
                            .product(name: "Relux", package: "relux-cluster"),
                            .product(name: "ErrorHandlingModels", package: "ErrorHandling"),
                            .product(name: "ErrorHandlingReluxInt", package: "ErrorHandling"),
                            .product(name: "NavigationModels", package: "Navigation"),
                            .product(name: "NavigationReluxInt", package: "Navigation"),
                        ],
                        swiftSettings: strict
                    ),
                    .target(
                        name: "__D__TestSupport",
                        dependencies: [
                            .product(name: "__D__Models", package: "__D__-Self"),
                            .product(name: "__D__ReluxInt", package: "__D__-Self"),
                            .product(name: "__D__ServiceInt", package: "__D__-Self"),
                            .product(name: "Relux", package: "relux-cluster"),
                            .product(name: "ReluxTestKit", package: "relux-cluster"),
                        ],
                        swiftSettings: strict
                    ),
                    .testTarget(
                        name: "__D__Tests",
                        dependencies: [
                            .product(name: "__D__Models", package: "__D__-Self"),
                            .product(name: "__D__ReluxInt", package: "__D__-Self"),
                            .product(name: "__D__ServiceInt", package: "__D__-Self"),
                            .product(name: "__D__ServiceImpl", package: "__D__-Self"),
                            .product(name: "__D__ReluxImpl", package: "__D__-Self"),
                            .product(name: "__D__TestSupport", package: "__D__-Self"),
                            .product(name: "Relux", package: "relux-cluster"),
                            .product(name: "ReluxTestKit", package: "relux-cluster"),
                            .product(name: "ReluxTestTraits", package: "relux-cluster"),
                            .product(name: "NavigationModels", package: "Navigation"),
                            .product(name: "NavigationReluxInt", package: "Navigation"),
                        ],
                        swiftSettings: strict
                    ),
                ]
            )
            """##
        ),
    ]
}
