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
    name: "Profile",
    products: [
        .library(name: "ProfileModels", type: .dynamic, targets: ["ProfileModels"]),
        .library(name: "ProfileReluxInt", type: .dynamic, targets: ["ProfileReluxInt"]),
        .library(name: "ProfileServiceInt", type: .dynamic, targets: ["ProfileServiceInt"]),
        .library(name: "ProfileServiceImpl", type: .dynamic, targets: ["ProfileServiceImpl"]),
        .library(name: "ProfileReluxImpl", type: .dynamic, targets: ["ProfileReluxImpl"]),
        .library(name: "ProfileTestSupport", type: .static, targets: ["ProfileTestSupport"]),
    ],
    dependencies: [
        .package(name: "Profile-Self", path: "."),
        .package(name: "relux-cluster", path: "../.."),
        .package(path: "../ErrorHandling"),
        .package(path: "../Navigation"),
        .package(url: "https://github.com/groue/GRDB.swift", from: "7.0.0"),
    ],
    targets: [
        .target(name: "ProfileModels", swiftSettings: strict),
        .target(
            name: "ProfileReluxInt",
            dependencies: [
                .product(name: "ProfileModels", package: "Profile-Self"),
                .product(name: "Relux", package: "relux-cluster"),
            ],
            exclude: ["Profile.contract.json"],
            swiftSettings: strict
        ),
        .target(
            name: "ProfileServiceInt",
            dependencies: [
                .product(name: "ProfileModels", package: "Profile-Self"),
            ],
            swiftSettings: strict
        ),
        .target(
            name: "ProfileServiceImpl",
            dependencies: [
                .product(name: "ProfileModels", package: "Profile-Self"),
                .product(name: "ProfileServiceInt", package: "Profile-Self"),
                .product(name: "ReluxStorage", package: "relux-cluster"),
                .product(name: "GRDB-dynamic", package: "GRDB.swift"),
            ],
            swiftSettings: strict
        ),
        .target(
            name: "ProfileReluxImpl",
            dependencies: [
                .product(name: "ProfileModels", package: "Profile-Self"),
                .product(name: "ProfileReluxInt", package: "Profile-Self"),
                .product(name: "ProfileServiceInt", package: "Profile-Self"),
                .product(name: "ProfileServiceImpl", package: "Profile-Self"),
                .product(name: "Relux", package: "relux-cluster"),
                .product(name: "ErrorHandlingModels", package: "ErrorHandling"),
                .product(name: "ErrorHandlingReluxInt", package: "ErrorHandling"),
                .product(name: "NavigationModels", package: "Navigation"),
                .product(name: "NavigationReluxInt", package: "Navigation"),
            ],
            swiftSettings: strict
        ),
        .target(
            name: "ProfileTestSupport",
            dependencies: [
                .product(name: "ProfileModels", package: "Profile-Self"),
                .product(name: "ProfileReluxInt", package: "Profile-Self"),
                .product(name: "ProfileServiceInt", package: "Profile-Self"),
                .product(name: "Relux", package: "relux-cluster"),
                .product(name: "ReluxTestKit", package: "relux-cluster"),
            ],
            swiftSettings: strict
        ),
        .testTarget(
            name: "ProfileTests",
            dependencies: [
                .product(name: "ProfileModels", package: "Profile-Self"),
                .product(name: "ProfileReluxInt", package: "Profile-Self"),
                .product(name: "ProfileServiceInt", package: "Profile-Self"),
                .product(name: "ProfileServiceImpl", package: "Profile-Self"),
                .product(name: "ProfileReluxImpl", package: "Profile-Self"),
                .product(name: "ProfileTestSupport", package: "Profile-Self"),
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
