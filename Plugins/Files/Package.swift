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
    name: "Files",
    products: [
        .library(name: "FilesModels", type: .dynamic, targets: ["FilesModels"]),
        .library(name: "FilesReluxInt", type: .dynamic, targets: ["FilesReluxInt"]),
        .library(name: "FilesServiceInt", type: .dynamic, targets: ["FilesServiceInt"]),
        .library(name: "FilesServiceImpl", type: .dynamic, targets: ["FilesServiceImpl"]),
        .library(name: "FilesReluxImpl", type: .dynamic, targets: ["FilesReluxImpl"]),
        .library(name: "FilesTestSupport", type: .static, targets: ["FilesTestSupport"]),
    ],
    dependencies: [
        .package(name: "Files-Self", path: "."),
        .package(name: "relux-cluster", path: "../.."),
        .package(path: "../ErrorHandling"),
    ],
    targets: [
        .target(name: "FilesModels", swiftSettings: strict),
        .target(
            name: "FilesReluxInt",
            dependencies: [
                .product(name: "FilesModels", package: "Files-Self"),
                .product(name: "Relux", package: "relux-cluster"),
            ],
            exclude: ["Files.contract.json"],
            swiftSettings: strict
        ),
        .target(
            name: "FilesServiceInt",
            dependencies: [
                .product(name: "FilesModels", package: "Files-Self"),
            ],
            swiftSettings: strict
        ),
        .target(
            name: "FilesServiceImpl",
            dependencies: [
                .product(name: "FilesModels", package: "Files-Self"),
                .product(name: "FilesServiceInt", package: "Files-Self"),
                .product(name: "ReluxFiles", package: "relux-cluster"),
            ],
            swiftSettings: strict
        ),
        .target(
            name: "FilesReluxImpl",
            dependencies: [
                .product(name: "FilesModels", package: "Files-Self"),
                .product(name: "FilesReluxInt", package: "Files-Self"),
                .product(name: "FilesServiceInt", package: "Files-Self"),
                .product(name: "FilesServiceImpl", package: "Files-Self"),
                .product(name: "Relux", package: "relux-cluster"),
                .product(name: "ErrorHandlingModels", package: "ErrorHandling"),
                .product(name: "ErrorHandlingReluxInt", package: "ErrorHandling"),
            ],
            swiftSettings: strict
        ),
        .target(
            name: "FilesTestSupport",
            dependencies: [
                .product(name: "FilesModels", package: "Files-Self"),
                .product(name: "FilesServiceInt", package: "Files-Self"),
            ],
            swiftSettings: strict
        ),
        .testTarget(
            name: "FilesTests",
            dependencies: [
                .product(name: "FilesModels", package: "Files-Self"),
                .product(name: "FilesReluxInt", package: "Files-Self"),
                .product(name: "FilesServiceInt", package: "Files-Self"),
                .product(name: "FilesServiceImpl", package: "Files-Self"),
                .product(name: "FilesReluxImpl", package: "Files-Self"),
                .product(name: "FilesTestSupport", package: "Files-Self"),
                .product(name: "Relux", package: "relux-cluster"),
                .product(name: "ReluxTestKit", package: "relux-cluster"),
                .product(name: "ReluxTestTraits", package: "relux-cluster"),
                .product(name: "ErrorHandlingReluxInt", package: "ErrorHandling"),
            ],
            swiftSettings: strict
        ),
    ]
)
