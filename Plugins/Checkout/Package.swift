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
    name: "Checkout",
    products: [
        .library(name: "CheckoutModels", type: .dynamic, targets: ["CheckoutModels"]),
        .library(name: "CheckoutReluxInt", type: .dynamic, targets: ["CheckoutReluxInt"]),
        .library(name: "CheckoutServiceInt", type: .dynamic, targets: ["CheckoutServiceInt"]),
        .library(name: "CheckoutServiceImpl", type: .dynamic, targets: ["CheckoutServiceImpl"]),
        .library(name: "CheckoutReluxImpl", type: .dynamic, targets: ["CheckoutReluxImpl"]),
        .library(name: "CheckoutTestSupport", type: .static, targets: ["CheckoutTestSupport"]),
    ],
    dependencies: [
        .package(name: "Checkout-Self", path: "."),
        .package(name: "relux-cluster", path: "../.."),
        .package(path: "../Navigation"),
    ],
    targets: [
        .target(name: "CheckoutModels", swiftSettings: strict),
        .target(
            name: "CheckoutReluxInt",
            dependencies: [
                .product(name: "CheckoutModels", package: "Checkout-Self"),
                .product(name: "Relux", package: "relux-cluster"),
            ],
            exclude: ["Checkout.contract.json"],
            swiftSettings: strict
        ),
        .target(
            name: "CheckoutServiceInt",
            dependencies: [
                .product(name: "CheckoutModels", package: "Checkout-Self"),
            ],
            swiftSettings: strict
        ),
        .target(
            name: "CheckoutServiceImpl",
            dependencies: [
                .product(name: "CheckoutModels", package: "Checkout-Self"),
                .product(name: "CheckoutServiceInt", package: "Checkout-Self"),
                .product(name: "ReluxFiles", package: "relux-cluster"),
            ],
            swiftSettings: strict
        ),
        .target(
            name: "CheckoutReluxImpl",
            dependencies: [
                .product(name: "CheckoutModels", package: "Checkout-Self"),
                .product(name: "CheckoutReluxInt", package: "Checkout-Self"),
                .product(name: "CheckoutServiceInt", package: "Checkout-Self"),
                .product(name: "CheckoutServiceImpl", package: "Checkout-Self"),
                .product(name: "Relux", package: "relux-cluster"),
                .product(name: "NavigationModels", package: "Navigation"),
                .product(name: "NavigationReluxInt", package: "Navigation"),
            ],
            swiftSettings: strict
        ),
        .target(
            name: "CheckoutTestSupport",
            dependencies: [
                .product(name: "CheckoutModels", package: "Checkout-Self"),
                .product(name: "CheckoutServiceInt", package: "Checkout-Self"),
            ],
            swiftSettings: strict
        ),
        .testTarget(
            name: "CheckoutTests",
            dependencies: [
                .product(name: "CheckoutModels", package: "Checkout-Self"),
                .product(name: "CheckoutReluxInt", package: "Checkout-Self"),
                .product(name: "CheckoutServiceInt", package: "Checkout-Self"),
                .product(name: "CheckoutServiceImpl", package: "Checkout-Self"),
                .product(name: "CheckoutReluxImpl", package: "Checkout-Self"),
                .product(name: "CheckoutTestSupport", package: "Checkout-Self"),
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
