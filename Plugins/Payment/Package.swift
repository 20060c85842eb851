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
    name: "Payment",
    products: [
        .library(name: "PaymentModels", type: .dynamic, targets: ["PaymentModels"]),
        .library(name: "PaymentReluxInt", type: .dynamic, targets: ["PaymentReluxInt"]),
        .library(name: "PaymentServiceInt", type: .dynamic, targets: ["PaymentServiceInt"]),
        .library(name: "PaymentServiceImpl", type: .dynamic, targets: ["PaymentServiceImpl"]),
        .library(name: "PaymentReluxImpl", type: .dynamic, targets: ["PaymentReluxImpl"]),
        .library(name: "PaymentTestSupport", type: .static, targets: ["PaymentTestSupport"]),
    ],
    dependencies: [
        .package(name: "Payment-Self", path: "."),
        .package(name: "relux-cluster", path: "../.."),
        .package(path: "../ErrorHandling"),
    ],
    targets: [
        .target(name: "PaymentModels", swiftSettings: strict),
        .target(
            name: "PaymentReluxInt",
            dependencies: [
                .product(name: "PaymentModels", package: "Payment-Self"),
                .product(name: "Relux", package: "relux-cluster"),
            ],
            exclude: ["Payment.contract.json"],
            swiftSettings: strict
        ),
        .target(
            name: "PaymentServiceInt",
            dependencies: [
                .product(name: "PaymentModels", package: "Payment-Self"),
            ],
            swiftSettings: strict
        ),
        .target(
            name: "PaymentServiceImpl",
            dependencies: [
                .product(name: "PaymentModels", package: "Payment-Self"),
                .product(name: "PaymentServiceInt", package: "Payment-Self"),
            ],
            swiftSettings: strict
        ),
        .target(
            name: "PaymentReluxImpl",
            dependencies: [
                .product(name: "PaymentModels", package: "Payment-Self"),
                .product(name: "PaymentReluxInt", package: "Payment-Self"),
                .product(name: "PaymentServiceInt", package: "Payment-Self"),
                .product(name: "PaymentServiceImpl", package: "Payment-Self"),
                .product(name: "Relux", package: "relux-cluster"),
                .product(name: "ErrorHandlingModels", package: "ErrorHandling"),
                .product(name: "ErrorHandlingReluxInt", package: "ErrorHandling"),
            ],
            swiftSettings: strict
        ),
        .target(
            name: "PaymentTestSupport",
            dependencies: [
                .product(name: "PaymentModels", package: "Payment-Self"),
                .product(name: "PaymentServiceInt", package: "Payment-Self"),
            ],
            swiftSettings: strict
        ),
        .testTarget(
            name: "PaymentTests",
            dependencies: [
                .product(name: "PaymentModels", package: "Payment-Self"),
                .product(name: "PaymentReluxInt", package: "Payment-Self"),
                .product(name: "PaymentServiceInt", package: "Payment-Self"),
                .product(name: "PaymentServiceImpl", package: "Payment-Self"),
                .product(name: "PaymentReluxImpl", package: "Payment-Self"),
                .product(name: "PaymentTestSupport", package: "Payment-Self"),
                .product(name: "Relux", package: "relux-cluster"),
                .product(name: "ReluxTestKit", package: "relux-cluster"),
                .product(name: "ReluxTestTraits", package: "relux-cluster"),
            ],
            swiftSettings: strict
        ),
    ]
)
