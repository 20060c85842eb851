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
    name: "Cart",
    products: [
        .library(name: "CartModels", type: .dynamic, targets: ["CartModels"]),
        .library(name: "CartReluxInt", type: .dynamic, targets: ["CartReluxInt"]),
        .library(name: "CartServiceInt", type: .dynamic, targets: ["CartServiceInt"]),
        .library(name: "CartServiceImpl", type: .dynamic, targets: ["CartServiceImpl"]),
        .library(name: "CartReluxImpl", type: .dynamic, targets: ["CartReluxImpl"]),
        .library(name: "CartTestSupport", type: .static, targets: ["CartTestSupport"]),
    ],
    dependencies: [
        .package(name: "Cart-Self", path: "."),
        .package(name: "relux-cluster", path: "../.."),
    ],
    targets: [
        .target(name: "CartModels", swiftSettings: strict),
        .target(
            name: "CartReluxInt",
            dependencies: [
                .product(name: "CartModels", package: "Cart-Self"),
                .product(name: "Relux", package: "relux-cluster"),
            ],
            exclude: ["Cart.contract.json"],
            swiftSettings: strict
        ),
        .target(
            name: "CartServiceInt",
            dependencies: [
                .product(name: "CartModels", package: "Cart-Self"),
            ],
            swiftSettings: strict
        ),
        .target(
            name: "CartServiceImpl",
            dependencies: [
                .product(name: "CartModels", package: "Cart-Self"),
                .product(name: "CartServiceInt", package: "Cart-Self"),
                .product(name: "ReluxFiles", package: "relux-cluster"),
            ],
            swiftSettings: strict
        ),
        .target(
            name: "CartReluxImpl",
            dependencies: [
                .product(name: "CartModels", package: "Cart-Self"),
                .product(name: "CartReluxInt", package: "Cart-Self"),
                .product(name: "CartServiceInt", package: "Cart-Self"),
                .product(name: "CartServiceImpl", package: "Cart-Self"),
                .product(name: "Relux", package: "relux-cluster"),
            ],
            swiftSettings: strict
        ),
        .target(
            name: "CartTestSupport",
            dependencies: [
                .product(name: "CartModels", package: "Cart-Self"),
                .product(name: "CartServiceInt", package: "Cart-Self"),
            ],
            swiftSettings: strict
        ),
        .testTarget(
            name: "CartTests",
            dependencies: [
                .product(name: "CartModels", package: "Cart-Self"),
                .product(name: "CartReluxInt", package: "Cart-Self"),
                .product(name: "CartServiceInt", package: "Cart-Self"),
                .product(name: "CartServiceImpl", package: "Cart-Self"),
                .product(name: "CartReluxImpl", package: "Cart-Self"),
                .product(name: "CartTestSupport", package: "Cart-Self"),
                .product(name: "Relux", package: "relux-cluster"),
                .product(name: "ReluxTestKit", package: "relux-cluster"),
                .product(name: "ReluxTestTraits", package: "relux-cluster"),
            ],
            swiftSettings: strict
        ),
    ]
)
