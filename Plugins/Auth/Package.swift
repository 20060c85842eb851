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
    name: "Auth",
    products: [
        .library(name: "AuthModels", type: .dynamic, targets: ["AuthModels"]),
        .library(name: "AuthReluxInt", type: .dynamic, targets: ["AuthReluxInt"]),
        .library(name: "AuthServiceInt", type: .dynamic, targets: ["AuthServiceInt"]),
        .library(name: "AuthServiceImpl", type: .dynamic, targets: ["AuthServiceImpl"]),
        .library(name: "AuthReluxImpl", type: .dynamic, targets: ["AuthReluxImpl"]),
        .library(name: "AuthTestSupport", type: .static, targets: ["AuthTestSupport"]),
    ],
    dependencies: [
        .package(name: "Auth-Self", path: "."),
        .package(name: "relux-cluster", path: "../.."),
        .package(path: "../ErrorHandling"),
        .package(path: "../Navigation"),
        .package(url: "https://github.com/groue/GRDB.swift", from: "7.0.0"),
    ],
    targets: [
        .target(name: "AuthModels", swiftSettings: strict),
        .target(
            name: "AuthReluxInt",
            dependencies: [
                .product(name: "AuthModels", package: "Auth-Self"),
                .product(name: "Relux", package: "relux-cluster"),
            ],
            exclude: ["Auth.contract.json"],
            swiftSettings: strict
        ),
        .target(
            name: "AuthServiceInt",
            dependencies: [
                .product(name: "AuthModels", package: "Auth-Self"),
            ],
            swiftSettings: strict
        ),
        .target(
            name: "AuthServiceImpl",
            dependencies: [
                .product(name: "AuthModels", package: "Auth-Self"),
                .product(name: "AuthServiceInt", package: "Auth-Self"),
                .product(name: "CSodium", package: "relux-cluster"),
                .product(name: "ReluxStorage", package: "relux-cluster"),
                .product(name: "GRDB-dynamic", package: "GRDB.swift"),
            ],
            swiftSettings: strict
        ),
        .target(
            name: "AuthReluxImpl",
            dependencies: [
                .product(name: "AuthModels", package: "Auth-Self"),
                .product(name: "AuthReluxInt", package: "Auth-Self"),
                .product(name: "AuthServiceInt", package: "Auth-Self"),
                .product(name: "AuthServiceImpl", package: "Auth-Self"),
                .product(name: "Relux", package: "relux-cluster"),
                .product(name: "ErrorHandlingModels", package: "ErrorHandling"),
                .product(name: "ErrorHandlingReluxInt", package: "ErrorHandling"),
                .product(name: "NavigationModels", package: "Navigation"),
                .product(name: "NavigationReluxInt", package: "Navigation"),
            ],
            swiftSettings: strict
        ),
        .target(
            name: "AuthTestSupport",
            dependencies: [
                .product(name: "AuthModels", package: "Auth-Self"),
                .product(name: "AuthReluxInt", package: "Auth-Self"),
                .product(name: "AuthServiceInt", package: "Auth-Self"),
                .product(name: "Relux", package: "relux-cluster"),
                .product(name: "ReluxTestKit", package: "relux-cluster"),
            ],
            swiftSettings: strict
        ),
        .testTarget(
            name: "AuthTests",
            dependencies: [
                .product(name: "AuthModels", package: "Auth-Self"),
                .product(name: "AuthReluxInt", package: "Auth-Self"),
                .product(name: "AuthServiceInt", package: "Auth-Self"),
                .product(name: "AuthServiceImpl", package: "Auth-Self"),
                .product(name: "AuthReluxImpl", package: "Auth-Self"),
                .product(name: "AuthTestSupport", package: "Auth-Self"),
                .product(name: "Relux", package: "relux-cluster"),
                .product(name: "ReluxTestKit", package: "relux-cluster"),
                .product(name: "ReluxTestTraits", package: "relux-cluster"),
                .product(name: "ErrorHandlingModels", package: "ErrorHandling"),
                .product(name: "ErrorHandlingReluxInt", package: "ErrorHandling"),
                .product(name: "NavigationModels", package: "Navigation"),
                .product(name: "NavigationReluxInt", package: "Navigation"),
                .product(name: "GRDB-dynamic", package: "GRDB.swift"),
            ],
            swiftSettings: strict
        ),
    ]
)
