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
    name: "Notes",
    products: [
        .library(name: "NotesModels", type: .dynamic, targets: ["NotesModels"]),
        .library(name: "NotesReluxInt", type: .dynamic, targets: ["NotesReluxInt"]),
        .library(name: "NotesServiceInt", type: .dynamic, targets: ["NotesServiceInt"]),
        .library(name: "NotesServiceImpl", type: .dynamic, targets: ["NotesServiceImpl"]),
        .library(name: "NotesReluxImpl", type: .dynamic, targets: ["NotesReluxImpl"]),
        .library(name: "NotesTestSupport", type: .static, targets: ["NotesTestSupport"]),
        .executable(name: "notes", targets: ["NotesMain"]),
    ],
    dependencies: [
        .package(name: "Notes-Self", path: "."),
        .package(name: "relux-cluster", path: "../.."),
        .package(path: "../ErrorHandling"),
        .package(path: "../Navigation"),
        .package(url: "https://github.com/groue/GRDB.swift", from: "7.0.0"),
    ],
    targets: [
        .target(name: "NotesModels", swiftSettings: strict),
        .target(
            name: "NotesReluxInt",
            dependencies: [
                .product(name: "NotesModels", package: "Notes-Self"),
                .product(name: "Relux", package: "relux-cluster"),
            ],
            exclude: ["Notes.contract.json"],
            swiftSettings: strict
        ),
        .target(
            name: "NotesServiceInt",
            dependencies: [
                .product(name: "NotesModels", package: "Notes-Self"),
            ],
            swiftSettings: strict
        ),
        .target(
            name: "NotesServiceImpl",
            dependencies: [
                .product(name: "NotesModels", package: "Notes-Self"),
                .product(name: "NotesServiceInt", package: "Notes-Self"),
                .product(name: "ReluxStorage", package: "relux-cluster"),
                .product(name: "GRDB-dynamic", package: "GRDB.swift"),
            ],
            swiftSettings: strict
        ),
        .target(
            name: "NotesReluxImpl",
            dependencies: [
                .product(name: "NotesModels", package: "Notes-Self"),
                .product(name: "NotesReluxInt", package: "Notes-Self"),
                .product(name: "NotesServiceInt", package: "Notes-Self"),
                .product(name: "NotesServiceImpl", package: "Notes-Self"),
                .product(name: "Relux", package: "relux-cluster"),
                .product(name: "ErrorHandlingModels", package: "ErrorHandling"),
                .product(name: "ErrorHandlingReluxInt", package: "ErrorHandling"),
                .product(name: "NavigationModels", package: "Navigation"),
                .product(name: "NavigationReluxInt", package: "Navigation"),
            ],
            swiftSettings: strict
        ),
        .target(
            name: "NotesTestSupport",
            dependencies: [
                .product(name: "NotesModels", package: "Notes-Self"),
                .product(name: "NotesReluxInt", package: "Notes-Self"),
                .product(name: "NotesServiceInt", package: "Notes-Self"),
                .product(name: "Relux", package: "relux-cluster"),
                .product(name: "ReluxTestKit", package: "relux-cluster"),
            ],
            swiftSettings: strict
        ),
        // The domain as a process of its own; see `executable:` in deploy/cluster.yaml.
        .executableTarget(
            name: "NotesMain",
            dependencies: [
                .product(name: "NotesReluxImpl", package: "Notes-Self"),
                .product(name: "ReluxHost", package: "relux-cluster"),
            ],
            swiftSettings: strict
        ),
        .testTarget(
            name: "NotesTests",
            dependencies: [
                .product(name: "NotesModels", package: "Notes-Self"),
                .product(name: "NotesReluxInt", package: "Notes-Self"),
                .product(name: "NotesServiceInt", package: "Notes-Self"),
                .product(name: "NotesServiceImpl", package: "Notes-Self"),
                .product(name: "NotesReluxImpl", package: "Notes-Self"),
                .product(name: "NotesTestSupport", package: "Notes-Self"),
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
