// swift-tools-version: 6.2
import Glibc
import PackageDescription

// The tools for authors, apart from the root's package so that nothing that runs a cluster ever waits for them.
let strict: [SwiftSetting] = [
    .treatAllWarnings(as: .error),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
]

/// Where the toolchain keeps the libraries of its own parser: they read what its compiler reads, and need no build.
func toolchainParser() -> String? {
    // The library that this manifest is linked with lies in the toolchain: …/usr/lib/swift/pm/ManifestAPI/lib….so
    guard let maps = fopen("/proc/self/maps", "r") else { return nil }
    defer { fclose(maps) }
    var line: UnsafeMutablePointer<CChar>?
    var room = 0
    defer { free(line) }
    while getline(&line, &room, maps) > 0, let text = line.map({ String(cString: $0) }) {
        let parts = text.drop { $0 != "/" }.split(separator: "/", omittingEmptySubsequences: false)
        guard parts.last?.hasPrefix("libPackageDescription.so") == true, parts.count > 3 else { continue }
        let folder = parts.dropLast(3).joined(separator: "/") + "/host"
        return access(folder + "/SwiftParser.swiftmodule", R_OK) == 0 ? folder : nil
    }
    return nil
}

// RELUX_SWIFT_SYNTAX=package builds the parser from its sources, as a toolchain without those libraries makes it.
let parser = Context.environment["RELUX_SWIFT_SYNTAX"] == "package" ? nil : toolchainParser()
let syntax: [Target.Dependency] =
    parser == nil
    ? [.product(name: "SwiftSyntax", package: "swift-syntax"), .product(name: "SwiftParser", package: "swift-syntax")] : []
let reading: [SwiftSetting] = strict + (parser.map { [.unsafeFlags(["-I", $0])] } ?? [])
let linking: [LinkerSetting] = parser.map { [.unsafeFlags(["-L", $0, "-Xlinker", "-rpath", "-Xlinker", $0])] } ?? []

let package = Package(
    name: "relux-dev",
    products: [.executable(name: "relux-dev", targets: ["relux-dev"])],
    dependencies: [
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.5.0")
    ] + (parser == nil ? [.package(url: "https://github.com/swiftlang/swift-syntax", from: "603.0.0")] : []),
    targets: [
        // Links to the root's: what programs say to people; layers and codes.
        .target(name: "ReluxOutput", dependencies: ["CReluxStandard"], swiftSettings: strict),
        .target(name: "CReluxStandard"),
        .target(name: "ReluxLayers", swiftSettings: strict),
        .target(name: "ReluxGenerate", dependencies: syntax, swiftSettings: reading, linkerSettings: linking),
        .target(name: "ReluxLint", dependencies: ["ReluxGenerate", "ReluxLayers", "ReluxOutput"] + syntax, swiftSettings: reading, linkerSettings: linking),
        .target(name: "ReluxGraph", dependencies: ["ReluxLint"], swiftSettings: reading),
        .target(name: "ReluxScaffold", dependencies: ["ReluxGenerate", "ReluxLint", "ReluxOutput"], swiftSettings: reading),
        .target(name: "ReluxDevLoop", swiftSettings: strict),
        .executableTarget(
            name: "relux-dev",
            dependencies: [
                "ReluxDevLoop", "ReluxGenerate", "ReluxGraph", "ReluxLint", "ReluxOutput", "ReluxScaffold",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
            ],
            swiftSettings: reading),
        .testTarget(name: "ReluxGenerateTests", dependencies: ["ReluxGenerate", "relux-dev"], exclude: ["Goldens"], swiftSettings: reading),
        .testTarget(name: "ReluxLintTests", dependencies: ["ReluxGenerate", "ReluxGraph", "ReluxLint", "relux-dev"] + syntax, swiftSettings: reading),
        .testTarget(
            name: "ReluxGraphTests", dependencies: ["ReluxGraph", "ReluxLint", "relux-dev"], exclude: ["Goldens"], swiftSettings: reading),
        .testTarget(name: "ReluxDevLoopTests", dependencies: ["ReluxDevLoop", "relux-dev"], swiftSettings: reading),
        // Tests is a link to the root's Tests/relux-dev, and PageKit there is one to the root's: pages whose commands are executed.
        .target(name: "PageKit", path: "Tests/PageKit", swiftSettings: strict),
        .testTarget(name: "PagesTests", dependencies: ["PageKit", "relux-dev"], swiftSettings: strict),
        .testTarget(name: "ReluxScaffoldTests", dependencies: ["ReluxLint", "ReluxScaffold", "relux-dev"], swiftSettings: reading),
    ]
)
