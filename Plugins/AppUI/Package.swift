// swift-tools-version: 6.2
import PackageDescription

// One picture out of several domains that do not know each other; interfaces and models only.
let strict: [SwiftSetting] = [
    .treatAllWarnings(as: .error),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
]

// `relux generate` writes the dependencies of targets, from what they import.
let package = Package(
    name: "AppUI",
    products: [
        .library(name: "AppUI", type: .dynamic, targets: ["AppUI"]),
        .executable(name: "app-ui", targets: ["AppUIMain"]),
    ],
    dependencies: [
        .package(name: "AppUI-Self", path: "."),
        .package(name: "relux-cluster", path: "../.."),
        .package(path: "../Auth"),
        .package(path: "../Profile"),
        .package(path: "../Notes"),
    ],
    targets: [
        .target(
            name: "AppUI",
            dependencies: [
                .product(name: "Relux", package: "relux-cluster"),
                .product(name: "AuthReluxInt", package: "Auth"),
                .product(name: "NotesReluxInt", package: "Notes"),
                .product(name: "ProfileReluxInt", package: "Profile"),
            ],
            swiftSettings: strict
        ),
        // The process that a person starts: deploy/cluster ui app-ui.
        .executableTarget(
            name: "AppUIMain",
            dependencies: [
                .product(name: "AppUI", package: "AppUI-Self"),
                .product(name: "ReluxHost", package: "relux-cluster"),
                .product(name: "ReluxTerminal", package: "relux-cluster"),
            ],
            swiftSettings: strict
        ),
    ]
)
