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
    name: "Navigation",
    products: [
        .library(name: "NavigationModels", type: .dynamic, targets: ["NavigationModels"]),
        .library(name: "NavigationReluxInt", type: .dynamic, targets: ["NavigationReluxInt"]),
        .library(name: "NavigationServiceInt", type: .dynamic, targets: ["NavigationServiceInt"]),
        .library(name: "NavigationServiceImpl", type: .dynamic, targets: ["NavigationServiceImpl"]),
        .library(name: "NavigationReluxImpl", type: .dynamic, targets: ["NavigationReluxImpl"]),
        .library(name: "NavigationTestSupport", type: .static, targets: ["NavigationTestSupport"]),
    ],
    dependencies: [
        .package(name: "Navigation-Self", path: "."),
        .package(name: "relux-cluster", path: "../.."),
    ],
    targets: [
        .target(name: "NavigationModels", swiftSettings: strict),
        .target(
            name: "NavigationReluxInt",
            dependencies: [
                .product(name: "NavigationModels", package: "Navigation-Self"),
                .product(name: "Relux", package: "relux-cluster"),
            ],
            exclude: ["Navigation.contract.json"],
            swiftSettings: strict
        ),
        .target(
            name: "NavigationServiceInt",
            dependencies: [
                .product(name: "NavigationModels", package: "Navigation-Self"),
            ],
            swiftSettings: strict
        ),
        .target(
            name: "NavigationServiceImpl",
            dependencies: [
                .product(name: "NavigationModels", package: "Navigation-Self"),
                .product(name: "NavigationServiceInt", package: "Navigation-Self"),
            ],
            swiftSettings: strict
        ),
        .target(
            name: "NavigationReluxImpl",
            dependencies: [
                .product(name: "NavigationModels", package: "Navigation-Self"),
                .product(name: "NavigationReluxInt", package: "Navigation-Self"),
                .product(name: "NavigationServiceInt", package: "Navigation-Self"),
                .product(name: "NavigationServiceImpl", package: "Navigation-Self"),
                .product(name: "Relux", package: "relux-cluster"),
            ],
            swiftSettings: strict
        ),
        .target(
            name: "NavigationTestSupport",
            dependencies: [
                .product(name: "NavigationModels", package: "Navigation-Self"),
                .product(name: "NavigationServiceInt", package: "Navigation-Self"),
            ],
            swiftSettings: strict
        ),
        .testTarget(
            name: "NavigationTests",
            dependencies: [
                .product(name: "NavigationModels", package: "Navigation-Self"),
                .product(name: "NavigationReluxInt", package: "Navigation-Self"),
                .product(name: "NavigationServiceImpl", package: "Navigation-Self"),
                .product(name: "NavigationReluxImpl", package: "Navigation-Self"),
                .product(name: "NavigationTestSupport", package: "Navigation-Self"),
                .product(name: "Relux", package: "relux-cluster"),
            ],
            swiftSettings: strict
        ),
    ]
)
