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
    name: "ErrorHandling",
    products: [
        .library(name: "ErrorHandlingModels", type: .dynamic, targets: ["ErrorHandlingModels"]),
        .library(name: "ErrorHandlingReluxInt", type: .dynamic, targets: ["ErrorHandlingReluxInt"]),
        .library(name: "ErrorHandlingServiceInt", type: .dynamic, targets: ["ErrorHandlingServiceInt"]),
        .library(name: "ErrorHandlingServiceImpl", type: .dynamic, targets: ["ErrorHandlingServiceImpl"]),
        .library(name: "ErrorHandlingReluxImpl", type: .dynamic, targets: ["ErrorHandlingReluxImpl"]),
        .library(name: "ErrorHandlingTestSupport", type: .static, targets: ["ErrorHandlingTestSupport"]),
    ],
    dependencies: [
        .package(name: "ErrorHandling-Self", path: "."),
        .package(name: "relux-cluster", path: "../.."),
    ],
    targets: [
        .target(name: "ErrorHandlingModels", swiftSettings: strict),
        .target(
            name: "ErrorHandlingReluxInt",
            dependencies: [
                .product(name: "ErrorHandlingModels", package: "ErrorHandling-Self"),
                .product(name: "Relux", package: "relux-cluster"),
            ],
            exclude: ["ErrorHandling.contract.json"],
            swiftSettings: strict
        ),
        .target(
            name: "ErrorHandlingServiceInt",
            dependencies: [
                .product(name: "ErrorHandlingModels", package: "ErrorHandling-Self"),
            ],
            swiftSettings: strict
        ),
        .target(
            name: "ErrorHandlingServiceImpl",
            dependencies: [
                .product(name: "ErrorHandlingModels", package: "ErrorHandling-Self"),
                .product(name: "ErrorHandlingServiceInt", package: "ErrorHandling-Self"),
                .product(name: "ReluxFiles", package: "relux-cluster"),
            ],
            swiftSettings: strict
        ),
        .target(
            name: "ErrorHandlingReluxImpl",
            dependencies: [
                .product(name: "ErrorHandlingModels", package: "ErrorHandling-Self"),
                .product(name: "ErrorHandlingReluxInt", package: "ErrorHandling-Self"),
                .product(name: "ErrorHandlingServiceInt", package: "ErrorHandling-Self"),
                .product(name: "ErrorHandlingServiceImpl", package: "ErrorHandling-Self"),
                .product(name: "Relux", package: "relux-cluster"),
            ],
            swiftSettings: strict
        ),
        .target(
            name: "ErrorHandlingTestSupport",
            dependencies: [
                .product(name: "ErrorHandlingModels", package: "ErrorHandling-Self"),
                .product(name: "ErrorHandlingServiceInt", package: "ErrorHandling-Self"),
                .product(name: "ReluxTestKit", package: "relux-cluster"),
            ],
            swiftSettings: strict
        ),
        .testTarget(
            name: "ErrorHandlingTests",
            dependencies: [
                .product(name: "ErrorHandlingModels", package: "ErrorHandling-Self"),
                .product(name: "ErrorHandlingReluxInt", package: "ErrorHandling-Self"),
                .product(name: "ErrorHandlingServiceInt", package: "ErrorHandling-Self"),
                .product(name: "ErrorHandlingServiceImpl", package: "ErrorHandling-Self"),
                .product(name: "ErrorHandlingReluxImpl", package: "ErrorHandling-Self"),
                .product(name: "ErrorHandlingTestSupport", package: "ErrorHandling-Self"),
                .product(name: "Relux", package: "relux-cluster"),
                .product(name: "ReluxTestKit", package: "relux-cluster"),
            ],
            swiftSettings: strict
        ),
    ]
)
