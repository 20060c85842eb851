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
    name: "Sync",
    products: [
        .library(name: "SyncModels", type: .dynamic, targets: ["SyncModels"]),
        .library(name: "SyncReluxInt", type: .dynamic, targets: ["SyncReluxInt"]),
        .library(name: "SyncServiceInt", type: .dynamic, targets: ["SyncServiceInt"]),
        .library(name: "SyncServiceImpl", type: .dynamic, targets: ["SyncServiceImpl"]),
        .library(name: "SyncReluxImpl", type: .dynamic, targets: ["SyncReluxImpl"]),
        .library(name: "SyncTestSupport", type: .static, targets: ["SyncTestSupport"]),
    ],
    dependencies: [
        .package(name: "Sync-Self", path: "."),
        .package(name: "relux-cluster", path: "../.."),
    ],
    targets: [
        .target(name: "SyncModels", swiftSettings: strict),
        .target(
            name: "SyncReluxInt",
            dependencies: [
                .product(name: "SyncModels", package: "Sync-Self"),
                .product(name: "Relux", package: "relux-cluster"),
            ],
            exclude: ["Sync.contract.json"],
            swiftSettings: strict
        ),
        .target(
            name: "SyncServiceInt",
            dependencies: [
                .product(name: "SyncModels", package: "Sync-Self"),
            ],
            swiftSettings: strict
        ),
        .target(
            name: "SyncServiceImpl",
            dependencies: [
                .product(name: "SyncModels", package: "Sync-Self"),
                .product(name: "SyncServiceInt", package: "Sync-Self"),
                .product(name: "ReluxFiles", package: "relux-cluster"),
            ],
            swiftSettings: strict
        ),
        .target(
            name: "SyncReluxImpl",
            dependencies: [
                .product(name: "SyncModels", package: "Sync-Self"),
                .product(name: "SyncReluxInt", package: "Sync-Self"),
                .product(name: "SyncServiceInt", package: "Sync-Self"),
                .product(name: "SyncServiceImpl", package: "Sync-Self"),
                .product(name: "Relux", package: "relux-cluster"),
                .product(name: "ReluxFiles", package: "relux-cluster"),
            ],
            swiftSettings: strict
        ),
        .target(
            name: "SyncTestSupport",
            dependencies: [
                .product(name: "SyncModels", package: "Sync-Self"),
                .product(name: "SyncServiceInt", package: "Sync-Self"),
            ],
            swiftSettings: strict
        ),
        .testTarget(
            name: "SyncTests",
            dependencies: [
                .product(name: "SyncModels", package: "Sync-Self"),
                .product(name: "SyncReluxInt", package: "Sync-Self"),
                .product(name: "SyncServiceInt", package: "Sync-Self"),
                .product(name: "SyncServiceImpl", package: "Sync-Self"),
                .product(name: "SyncReluxImpl", package: "Sync-Self"),
                .product(name: "SyncTestSupport", package: "Sync-Self"),
                .product(name: "Relux", package: "relux-cluster"),
                .product(name: "ReluxTestKit", package: "relux-cluster"),
                .product(name: "ReluxTestTraits", package: "relux-cluster"),
                .product(name: "ReluxFiles", package: "relux-cluster"),
            ],
            swiftSettings: strict
        ),
    ]
)
