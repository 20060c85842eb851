// swift-tools-version: 6.2
import PackageDescription

let strict: [SwiftSetting] = [
    .treatAllWarnings(as: .error),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
]

// `relux generate` writes the dependencies of targets, from what they import.
let package = Package(
    name: "DataOrchestration",
    products: [
        .library(name: "DataOrchestration", type: .dynamic, targets: ["DataOrchestrationImpl"]),
    ],
    dependencies: [
        .package(name: "DataOrchestration-Self", path: "."),
        .package(name: "relux-cluster", path: "../.."),
        // Domain interfaces only.
        .package(path: "../Auth"),
        .package(path: "../Notes"),
        .package(path: "../Files"),
        .package(path: "../Sync"),
    ],
    targets: [
        .target(
            name: "DataOrchestrationImpl",
            dependencies: [
                .product(name: "Relux", package: "relux-cluster"),
                .product(name: "AuthReluxInt", package: "Auth"),
                .product(name: "FilesReluxInt", package: "Files"),
                .product(name: "NotesReluxInt", package: "Notes"),
                .product(name: "SyncReluxInt", package: "Sync"),
            ],
            exclude: ["DataOrchestration.contract.json"],
            swiftSettings: strict
        ),
        .testTarget(
            name: "DataOrchestrationTests",
            dependencies: [
                .product(name: "DataOrchestration", package: "DataOrchestration-Self"),
                .product(name: "Relux", package: "relux-cluster"),
                .product(name: "ReluxTestKit", package: "relux-cluster"),
                .product(name: "ReluxTestTraits", package: "relux-cluster"),
                .product(name: "AuthReluxInt", package: "Auth"),
                .product(name: "FilesReluxInt", package: "Files"),
                .product(name: "NotesReluxInt", package: "Notes"),
                .product(name: "SyncReluxInt", package: "Sync"),
            ],
            swiftSettings: strict
        ),
    ]
)
