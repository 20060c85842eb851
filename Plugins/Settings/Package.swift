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
    name: "Settings",
    products: [
        .library(name: "SettingsModels", type: .dynamic, targets: ["SettingsModels"]),
        .library(name: "SettingsReluxInt", type: .dynamic, targets: ["SettingsReluxInt"]),
        .library(name: "SettingsServiceInt", type: .dynamic, targets: ["SettingsServiceInt"]),
        .library(name: "SettingsServiceImpl", type: .dynamic, targets: ["SettingsServiceImpl"]),
        .library(name: "SettingsReluxImpl", type: .dynamic, targets: ["SettingsReluxImpl"]),
        .library(name: "SettingsTestSupport", type: .static, targets: ["SettingsTestSupport"]),
    ],
    dependencies: [
        .package(name: "Settings-Self", path: "."),
        .package(name: "relux-cluster", path: "../.."),
        .package(path: "../ErrorHandling"),
        .package(path: "../Navigation"),
        .package(url: "https://github.com/groue/GRDB.swift", from: "7.0.0"),
    ],
    targets: [
        .target(name: "SettingsModels", swiftSettings: strict),
        .target(
            name: "SettingsReluxInt",
            dependencies: [
                .product(name: "SettingsModels", package: "Settings-Self"),
                .product(name: "Relux", package: "relux-cluster"),
            ],
            exclude: ["Settings.contract.json"],
            swiftSettings: strict
        ),
        .target(
            name: "SettingsServiceInt",
            dependencies: [
                .product(name: "SettingsModels", package: "Settings-Self"),
            ],
            swiftSettings: strict
        ),
        .target(
            name: "SettingsServiceImpl",
            dependencies: [
                .product(name: "SettingsModels", package: "Settings-Self"),
                .product(name: "SettingsServiceInt", package: "Settings-Self"),
                .product(name: "ReluxStorage", package: "relux-cluster"),
                .product(name: "GRDB-dynamic", package: "GRDB.swift"),
            ],
            swiftSettings: strict
        ),
        .target(
            name: "SettingsReluxImpl",
            dependencies: [
                .product(name: "SettingsModels", package: "Settings-Self"),
                .product(name: "SettingsReluxInt", package: "Settings-Self"),
                .product(name: "SettingsServiceInt", package: "Settings-Self"),
                .product(name: "SettingsServiceImpl", package: "Settings-Self"),
                .product(name: "Relux", package: "relux-cluster"),
                .product(name: "ErrorHandlingModels", package: "ErrorHandling"),
                .product(name: "ErrorHandlingReluxInt", package: "ErrorHandling"),
                .product(name: "NavigationModels", package: "Navigation"),
                .product(name: "NavigationReluxInt", package: "Navigation"),
            ],
            swiftSettings: strict
        ),
        .target(
            name: "SettingsTestSupport",
            dependencies: [
                .product(name: "SettingsModels", package: "Settings-Self"),
                .product(name: "SettingsReluxInt", package: "Settings-Self"),
                .product(name: "SettingsServiceInt", package: "Settings-Self"),
                .product(name: "Relux", package: "relux-cluster"),
                .product(name: "ReluxTestKit", package: "relux-cluster"),
            ],
            swiftSettings: strict
        ),
        .testTarget(
            name: "SettingsTests",
            dependencies: [
                .product(name: "SettingsModels", package: "Settings-Self"),
                .product(name: "SettingsReluxInt", package: "Settings-Self"),
                .product(name: "SettingsServiceInt", package: "Settings-Self"),
                .product(name: "SettingsServiceImpl", package: "Settings-Self"),
                .product(name: "SettingsReluxImpl", package: "Settings-Self"),
                .product(name: "SettingsTestSupport", package: "Settings-Self"),
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
