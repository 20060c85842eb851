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
    name: "SessionOrchestration",
    products: [
        .library(name: "SessionOrchestration", type: .dynamic, targets: ["SessionOrchestrationImpl"]),
    ],
    dependencies: [
        .package(name: "SessionOrchestration-Self", path: "."),
        .package(name: "relux-cluster", path: "../.."),
        // Domain interfaces only.
        .package(path: "../Auth"),
        .package(path: "../Profile"),
        .package(path: "../Settings"),
        .package(path: "../Library"),
    ],
    targets: [
        .target(
            name: "SessionOrchestrationImpl",
            dependencies: [
                .product(name: "Relux", package: "relux-cluster"),
                .product(name: "AuthReluxInt", package: "Auth"),
                .product(name: "LibraryReluxInt", package: "Library"),
                .product(name: "ProfileReluxInt", package: "Profile"),
                .product(name: "SettingsReluxInt", package: "Settings"),
            ],
            exclude: ["SessionOrchestration.contract.json"],
            swiftSettings: strict
        ),
        .testTarget(
            name: "SessionOrchestrationTests",
            dependencies: [
                .product(name: "SessionOrchestration", package: "SessionOrchestration-Self"),
                .product(name: "Relux", package: "relux-cluster"),
                .product(name: "ReluxTestKit", package: "relux-cluster"),
                .product(name: "ReluxTestTraits", package: "relux-cluster"),
                .product(name: "AuthReluxInt", package: "Auth"),
                .product(name: "LibraryReluxInt", package: "Library"),
                .product(name: "ProfileReluxInt", package: "Profile"),
                .product(name: "SettingsReluxInt", package: "Settings"),
            ],
            swiftSettings: strict
        ),
    ]
)
