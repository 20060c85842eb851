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
    name: "StartupOrchestration",
    products: [
        .library(name: "StartupOrchestration", type: .dynamic, targets: ["StartupOrchestrationImpl"]),
    ],
    dependencies: [
        .package(name: "StartupOrchestration-Self", path: "."),
        .package(name: "relux-cluster", path: "../.."),
        // Interfaces only, and of no domain: whoever has something to do at the start contributes it.
        .package(path: "../ErrorHandling"),
        .package(path: "../Navigation"),
    ],
    targets: [
        .target(
            name: "StartupOrchestrationImpl",
            dependencies: [
                .product(name: "Relux", package: "relux-cluster"),
                .product(name: "ErrorHandlingModels", package: "ErrorHandling"),
                .product(name: "ErrorHandlingReluxInt", package: "ErrorHandling"),
                .product(name: "NavigationModels", package: "Navigation"),
                .product(name: "NavigationReluxInt", package: "Navigation"),
            ],
            exclude: ["StartupOrchestration.contract.json"],
            swiftSettings: strict
        ),
        .testTarget(
            name: "StartupOrchestrationTests",
            dependencies: [
                .product(name: "StartupOrchestration", package: "StartupOrchestration-Self"),
                .product(name: "Relux", package: "relux-cluster"),
                .product(name: "ReluxTestKit", package: "relux-cluster"),
                .product(name: "ErrorHandlingModels", package: "ErrorHandling"),
                .product(name: "ErrorHandlingReluxInt", package: "ErrorHandling"),
                .product(name: "NavigationModels", package: "Navigation"),
                .product(name: "NavigationReluxInt", package: "Navigation"),
            ],
            swiftSettings: strict
        ),
    ]
)
