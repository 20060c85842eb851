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
    name: "CommerceOrchestration",
    products: [
        .library(name: "CommerceOrchestration", type: .dynamic, targets: ["CommerceOrchestrationImpl"]),
    ],
    dependencies: [
        .package(name: "CommerceOrchestration-Self", path: "."),
        .package(name: "relux-cluster", path: "../.."),
        // Domain interfaces only.
        .package(path: "../Auth"),
        .package(path: "../Cart"),
        .package(path: "../Checkout"),
        .package(path: "../Payment"),
    ],
    targets: [
        .target(
            name: "CommerceOrchestrationImpl",
            dependencies: [
                .product(name: "Relux", package: "relux-cluster"),
                .product(name: "AuthReluxInt", package: "Auth"),
                .product(name: "CartReluxInt", package: "Cart"),
                .product(name: "CheckoutReluxInt", package: "Checkout"),
                .product(name: "PaymentReluxInt", package: "Payment"),
            ],
            exclude: ["CommerceOrchestration.contract.json"],
            swiftSettings: strict
        ),
        .testTarget(
            name: "CommerceOrchestrationTests",
            dependencies: [
                .product(name: "CommerceOrchestration", package: "CommerceOrchestration-Self"),
                .product(name: "Relux", package: "relux-cluster"),
                .product(name: "ReluxTestKit", package: "relux-cluster"),
                .product(name: "ReluxTestTraits", package: "relux-cluster"),
                .product(name: "AuthReluxInt", package: "Auth"),
                .product(name: "CartReluxInt", package: "Cart"),
                .product(name: "CheckoutReluxInt", package: "Checkout"),
                .product(name: "PaymentReluxInt", package: "Payment"),
            ],
            swiftSettings: strict
        ),
    ]
)
