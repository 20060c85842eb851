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
    name: "Library",
    products: [
        .library(name: "LibraryModels", type: .dynamic, targets: ["LibraryModels"]),
        .library(name: "LibraryReluxInt", type: .dynamic, targets: ["LibraryReluxInt"]),
        .library(name: "LibraryServiceInt", type: .dynamic, targets: ["LibraryServiceInt"]),
        .library(name: "LibraryServiceImpl", type: .dynamic, targets: ["LibraryServiceImpl"]),
        .library(name: "LibraryReluxImpl", type: .dynamic, targets: ["LibraryReluxImpl"]),
        .library(name: "LibraryTestSupport", type: .static, targets: ["LibraryTestSupport"]),
    ],
    dependencies: [
        .package(name: "Library-Self", path: "."),
        .package(name: "relux-cluster", path: "../.."),
        .package(path: "../ErrorHandling"),
        .package(path: "../Navigation"),
        .package(url: "https://github.com/groue/GRDB.swift", from: "7.0.0"),
    ],
    targets: [
        .target(name: "LibraryModels", swiftSettings: strict),
        .target(
            name: "LibraryReluxInt",
            dependencies: [
                .product(name: "LibraryModels", package: "Library-Self"),
                .product(name: "Relux", package: "relux-cluster"),
            ],
            exclude: ["Library.contract.json"],
            swiftSettings: strict
        ),
        .target(
            name: "LibraryServiceInt",
            dependencies: [
                .product(name: "LibraryModels", package: "Library-Self"),
            ],
            swiftSettings: strict
        ),
        .target(
            name: "LibraryServiceImpl",
            dependencies: [
                .product(name: "LibraryModels", package: "Library-Self"),
                .product(name: "LibraryServiceInt", package: "Library-Self"),
                .product(name: "ReluxStorage", package: "relux-cluster"),
                .product(name: "GRDB-dynamic", package: "GRDB.swift"),
            ],
            swiftSettings: strict
        ),
        .target(
            name: "LibraryReluxImpl",
            dependencies: [
                .product(name: "LibraryModels", package: "Library-Self"),
                .product(name: "LibraryReluxInt", package: "Library-Self"),
                .product(name: "LibraryServiceInt", package: "Library-Self"),
                .product(name: "LibraryServiceImpl", package: "Library-Self"),
                .product(name: "Relux", package: "relux-cluster"),
                .product(name: "ErrorHandlingModels", package: "ErrorHandling"),
                .product(name: "ErrorHandlingReluxInt", package: "ErrorHandling"),
                .product(name: "NavigationModels", package: "Navigation"),
                .product(name: "NavigationReluxInt", package: "Navigation"),
            ],
            swiftSettings: strict
        ),
        .target(
            name: "LibraryTestSupport",
            dependencies: [
                .product(name: "LibraryModels", package: "Library-Self"),
                .product(name: "LibraryReluxInt", package: "Library-Self"),
                .product(name: "LibraryServiceInt", package: "Library-Self"),
                .product(name: "Relux", package: "relux-cluster"),
                .product(name: "ReluxTestKit", package: "relux-cluster"),
            ],
            swiftSettings: strict
        ),
        .testTarget(
            name: "LibraryTests",
            dependencies: [
                .product(name: "LibraryModels", package: "Library-Self"),
                .product(name: "LibraryReluxInt", package: "Library-Self"),
                .product(name: "LibraryServiceInt", package: "Library-Self"),
                .product(name: "LibraryServiceImpl", package: "Library-Self"),
                .product(name: "LibraryReluxImpl", package: "Library-Self"),
                .product(name: "LibraryTestSupport", package: "Library-Self"),
                .product(name: "Relux", package: "relux-cluster"),
                .product(name: "ReluxTestKit", package: "relux-cluster"),
                .product(name: "ReluxTestTraits", package: "relux-cluster"),
                .product(name: "ReluxFeatureTestKit", package: "relux-cluster"),
                .product(name: "NavigationModels", package: "Navigation"),
                .product(name: "NavigationReluxInt", package: "Navigation"),
                .product(name: "GRDB-dynamic", package: "GRDB.swift"),
            ],
            swiftSettings: strict
        ),
    ]
)
