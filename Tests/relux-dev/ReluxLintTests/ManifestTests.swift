import Foundation
import ReluxLayers
@testable import ReluxLint
import Testing

/// A manifest that gives its dependencies away has those that its sources import.
@Suite struct ManifestTests {
    private static let manifest = """
        // swift-tools-version: 6.2
        import PackageDescription

        // `relux generate` writes the dependencies of targets below from what they import.
        let package = Package(
            name: "Sky",
            products: [
                .library(name: "SkyModels", type: .dynamic, targets: ["SkyModels"]),
                .library(name: "SkyReluxInt", type: .dynamic, targets: ["SkyReluxInt"]),
                .library(name: "SkyReluxImpl", type: .dynamic, targets: ["SkyReluxImpl"]),
            ],
            dependencies: [
                .package(name: "Sky-Self", path: "."),
                .package(name: "relux-cluster", path: "../.."),
                // Interfaces only.
                .package(path: "../Auth"),
                .package(path: "../Notes"),
                .package(path: "../Session"),
                .package(url: "https://example.org/GRDB.swift", from: "7.0.0"),
            ],
            targets: [
                // Values alone.
                .target(name: "SkyModels", dependencies: [.product(name: "Relux", package: "relux-cluster")], swiftSettings: strict),
                .target(
                    name: "SkyReluxInt",
                    dependencies: [],
                    exclude: ["Sky.contract.json"],
                    swiftSettings: strict
                ),
                .target(
                    name: "SkyReluxImpl",
                    dependencies: [
                        .product(name: "NotesReluxInt", package: "Notes"),
                        .product(name: "GRDB-dynamic", package: "GRDB.swift"), // One image of it.
                        .product(name: "Odd", package: "relux-cluster", condition: .when(platforms: [.linux])),
                        .plugin(name: "Maker", package: "Notes"),
                    ],
                    swiftSettings: strict
                ),
                .target(name: "SkyHelper"),
            ]
        )

        """

    private static let wanted = """
            dependencies: [
                .package(name: "Sky-Self", path: "."),
                .package(name: "relux-cluster", path: "../.."),
                // Interfaces only.
                .package(path: "../Auth"),
                .package(path: "../Notes"),
                .package(path: "../Profile"),
                .package(url: "https://example.org/GRDB.swift", from: "7.0.0"),
            ],
            targets: [
                // Values alone.
                .target(name: "SkyModels", swiftSettings: strict),
                .target(
                    name: "SkyReluxInt",
                    dependencies: [
                        .product(name: "SkyModels", package: "Sky-Self"),
                        .product(name: "Relux", package: "relux-cluster"),
                    ],
                    exclude: ["Sky.contract.json"],
                    swiftSettings: strict
                ),
                .target(
                    name: "SkyReluxImpl",
                    dependencies: [
                        .product(name: "SkyModels", package: "Sky-Self"),
                        .product(name: "SkyReluxInt", package: "Sky-Self"),
                        .target(name: "SkyHelper"),
                        .product(name: "Relux", package: "relux-cluster"),
                        .product(name: "AuthReluxInt", package: "Auth"),
                        .product(name: "ProfileModels", package: "Profile"),
                        // One image of it.
                        .product(name: "GRDB-dynamic", package: "GRDB.swift"),
                        .product(name: "Odd", package: "relux-cluster", condition: .when(platforms: [.linux])),
                        .plugin(name: "Maker", package: "Notes"),
                    ],
                    swiftSettings: strict
                ),
                .target(name: "SkyHelper"),
            ]
        )

        """

    private static func domain(_ name: String, _ layers: String...) -> PackageModel {
        let targets = layers.map { "\(name)\($0)" }
        return PackageModel(
            name: name, folder: "/plugins/\(name)", targets: targets.map { .init(name: $0, kind: .regular, dependencies: []) },
            products: targets.map { .init(name: $0, kind: .dynamic, targets: [$0]) })
    }

    private static var packages: [PackageModel] {
        var sky = domain("Sky", "Models", "ReluxInt", "ReluxImpl")
        sky.targets.append(.init(name: "SkyHelper", kind: .regular, dependencies: []))
        sky.neighbours = ["Sky-Self": "/plugins/Sky", "relux-cluster": "/", "Auth": "/plugins/Auth", "Notes": "/plugins/Notes", "Session": "/plugins/Session"]
        let core = PackageModel(
            name: "relux-cluster", folder: "/",
            targets: ["Relux", "ReluxIoC", "ReluxTestKit"].map { .init(name: $0, kind: .regular, dependencies: []) },
            products: [
                .init(name: "Relux", kind: .dynamic, targets: ["Relux", "ReluxIoC"]), .init(name: "ReluxTestKit", kind: .static, targets: ["ReluxTestKit"]),
            ])
        return [sky, core, domain("Auth", "Models", "ReluxInt"), domain("Notes", "ReluxInt"), domain("Profile", "Models")]
    }

    private static func files(_ manifest: String, more: String = "", _ packages: [PackageModel] = packages) -> [ManifestFile] {
        func source(_ target: String?, _ path: String, _ text: String) -> LintSource {
            LintSource(package: "/plugins/Sky", target: target, path: path, text: text)
        }
        return ManifestFile.all(
            of: packages, context: [1, 2, 3, 4],
            [
                source(nil, "Package.swift", manifest), source("SkyModels", "M.swift", "import Foundation\npublic struct M {}"),
                source("SkyReluxInt", "I.swift", "public import Relux\npublic import ReluxIoC\nimport SkyModels"),
                source(
                    "SkyReluxImpl", "A.swift",
                    "import AuthReluxInt\nimport GRDB\nimport Relux\nimport SkyHelper\nimport struct ProfileModels.Name\n@testable import SkyReluxInt"),
                source("SkyReluxImpl", "B.swift", "import SkyModels\nimport SkyReluxImpl\n" + more),
            ])
    }

    @Test func `dependencies follow the imports, in the order of the layers; all else stays`() throws {
        let file = try #require(Self.files(Self.manifest).first)
        let head = Self.manifest.components(separatedBy: "    dependencies: [\n")[0]
        #expect(file.text == head + Self.wanted)
        #expect(file.isStale && file.problem == nil && file.finding?.rule == .staleWire)
    }

    @Test func `what was written is not stale`() throws {
        let text = try #require(Self.files(Self.manifest).first?.text)
        // The package that came is one of its neighbours now.
        var packages = Self.packages
        packages[0].neighbours["Profile"] = "/plugins/Profile"
        let again = try #require(Self.files(text, packages).first)
        #expect(again.text == text && again.finding == nil)
    }

    @Test func `a manifest that does not give its dependencies away is left alone`() {
        #expect(Self.files(Self.manifest.replacing("`relux generate` writes", with: "Nobody writes")).isEmpty)
    }

    @Test func `from half a source nothing follows`() throws {
        let file = try #require(Self.files(Self.manifest, more: "struct Half {").first)
        #expect(file.problem?.place.file == "B.swift" && file.finding == nil)
    }

    @Test func `modules of packages that nobody named are looked for by their domain`() {
        #expect(ManifestPlan.unknown(["WeatherReluxInt", "Foundation", "AuthReluxInt"], among: Self.packages) == ["Weather"])
    }
}
