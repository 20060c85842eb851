// swift-tools-version: 6.2
import PackageDescription

// What people see of Notes. It knows the interface and the models of Notes and nothing behind them; a check of deploy/test looks at what the
// built libraries need.
let strict: [SwiftSetting] = [
    .treatAllWarnings(as: .error),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
]

// `relux generate` writes the dependencies of targets, from what they import.
let package = Package(
    name: "NotesUI",
    products: [
        .library(name: "NotesUIAPI", type: .dynamic, targets: ["NotesUIAPI"]),
        .library(name: "NotesUI", type: .dynamic, targets: ["NotesUI"]),
        .executable(name: "notes-ui", targets: ["NotesUIMain"]),
    ],
    dependencies: [
        .package(name: "NotesUI-Self", path: "."),
        .package(name: "relux-cluster", path: "../.."),
        .package(path: "../Notes"),
    ],
    targets: [
        .target(
            name: "NotesUIAPI",
            dependencies: [
                .product(name: "NotesReluxInt", package: "Notes"),
            ],
            swiftSettings: strict
        ),
        .target(
            name: "NotesUI",
            dependencies: [
                .product(name: "NotesUIAPI", package: "NotesUI-Self"),
                .product(name: "Relux", package: "relux-cluster"),
                .product(name: "NotesReluxInt", package: "Notes"),
            ],
            swiftSettings: strict
        ),
        // The process that a person starts; see README.md.
        .executableTarget(
            name: "NotesUIMain",
            dependencies: [
                .product(name: "NotesUIAPI", package: "NotesUI-Self"),
                .product(name: "NotesUI", package: "NotesUI-Self"),
                .product(name: "ReluxHost", package: "relux-cluster"),
                .product(name: "ReluxTerminal", package: "relux-cluster"),
                .product(name: "NotesReluxInt", package: "Notes"),
            ],
            swiftSettings: strict
        ),
        .testTarget(
            name: "NotesUITests",
            dependencies: [
                .product(name: "NotesUIAPI", package: "NotesUI-Self"),
                .product(name: "NotesUI", package: "NotesUI-Self"),
                .product(name: "Relux", package: "relux-cluster"),
                .product(name: "ReluxTestKit", package: "relux-cluster"),
                .product(name: "NotesReluxInt", package: "Notes"),
            ],
            swiftSettings: strict
        ),
    ]
)
