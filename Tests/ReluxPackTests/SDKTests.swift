import Foundation
import Relux
@testable import ReluxPack
import ReluxPlugin
import ReluxTestKit
import ReluxWire
import Testing

@Suite struct SDKContentsTests {
    private let needed = [
        "AuthModels": ["libRelux.so", "libswiftCore.so"], "AuthReluxInt": ["libAuthModels.so", "libNavigationModels.so", "libRelux.so"],
        "NavigationModels": [], "NavigationReluxInt": ["libNavigationModels.so"],
    ]

    @Test func `an interface brings its models, and depends on the packages of others that it needs`() throws {
        let auth = SDKContents.interface(of: "Auth", needed: needed)
        #expect(auth.folder == "Plugins/Auth" && auth.libraries.map(\.file) == ["libAuthModels.so", "libAuthReluxInt.so"])
        #expect(auth.products.map(\.name) == ["AuthModels", "AuthReluxInt"])
        let product = try #require(auth.products.last)
        #expect(product.libraries == ["AuthReluxInt", "AuthModels"])
        #expect(product.needs == [.init(product: "Relux", package: "relux-cluster"), .init(product: "NavigationModels", package: "Navigation")])
        #expect(SDKContents.interface(of: "Navigation", needed: needed).products.allSatisfy { $0.needs.isEmpty })
        #expect(SDKContents.interface(of: "Sky", needed: needed).libraries.isEmpty)
    }

    @Test func `only models and interfaces are offered`() {
        #expect(["AuthModels", "AuthReluxInt", "AuthKit"].allSatisfy(SDKContents.isOffered))
        #expect(!["AuthReluxImpl", "AuthServiceInt", "AuthTestSupport", "Relux", "SkyOrchestration", "Models"].contains(where: SDKContents.isOffered))
    }

    @Test func `the manifest of what needs others has a target without code that links them`() {
        let auth = SDKContents.interface(of: "Auth", needed: needed)
        #expect(
            auth.manifest == """
                // swift-tools-version: 6.2
                // Built libraries, written by `relux sdk`.
                import PackageDescription

                let package = Package(
                    name: "Auth",
                    products: [
                        .library(name: "AuthModels", targets: ["AuthModels", "AuthModelsNeeds"]),
                        .library(name: "AuthReluxInt", targets: ["AuthReluxInt", "AuthModels", "AuthReluxIntNeeds"]),
                    ],
                    dependencies: [
                        .package(name: "Navigation", path: "../Navigation"),
                        .package(name: "relux-cluster", path: "../.."),
                    ],
                    targets: [
                        .binaryTarget(name: "AuthModels", path: "AuthModels.artifactbundle"),
                        .binaryTarget(name: "AuthReluxInt", path: "AuthReluxInt.artifactbundle"),
                        .target(name: "AuthModelsNeeds", dependencies: [
                            .product(name: "Relux", package: "relux-cluster"),
                        ]),
                        .target(name: "AuthReluxIntNeeds", dependencies: [
                            .product(name: "Relux", package: "relux-cluster"),
                            .product(name: "NavigationModels", package: "Navigation"),
                        ]),
                    ]
                )

                """)
        #expect(auth.links.keys.sorted() == ["AuthModels", "AuthReluxInt"].flatMap { ["Sources/\($0)Needs/empty.c", "Sources/\($0)Needs/include/\($0)Needs.h"] })
        #expect(SDKContents.core.manifest.contains(#".package(name: "GRDB.swift", path: "Plugins/GRDB.swift")"#))
    }
}

@Suite struct SDKTests {
    private let directory = TemporaryDirectory(isMade: true)
    private var sdk: String { directory.file("sdk") }

    private func makeSDK(runtimeGuard: String = reluxRuntimeGuard) throws -> SDK {
        try FileManager.default.createDirectory(atPath: sdk, withIntermediateDirectories: true)
        let note = SDK.Note(schema: SDK.Note.schema, version: "0.0.1", runtimeGuard: runtimeGuard, compiler: "Swift", target: "x86_64-unknown-linux-gnu")
        try JSONEncoder().encode(note).write(to: URL(fileURLWithPath: "\(sdk)/sdk.json"))
        return try SDK(at: sdk)
    }

    private func pack() throws -> String {
        let demo = try DemoPackage.shared.get()
        let packer = Packer(describe: { _ in DemoPackage.declaration }, rawValues: { _, _ in [:] })
        return try packer.pack(library: demo.library, into: directory.file("packed"), modules: demo.modules).directory
    }

    @Test func `a packed domain has what a compiler reads of its interface, and an SDK takes that`() throws {
        let packed = try pack()
        let manifest = try JSONDecoder().decode(PluginManifest.self, from: Data(contentsOf: URL(fileURLWithPath: "\(packed)/manifest.json")))
        #expect(
            manifest.interfaceModules.map(\.name)
                == ["DemoModels.swiftdoc", "DemoModels.swiftmodule", "DemoReluxInt.swiftdoc", "DemoReluxInt.swiftmodule"])
        let made = try makeSDK()
        #expect(made.interfaces == [])
        #expect(try SDKWriter().add([packed], to: made) == ["Demo"])
        #expect(made.interfaces == ["Demo"])
        let bundle = "\(sdk)/Plugins/Demo/DemoReluxInt.artifactbundle"
        for file in ["info.json", "lib/libDemoReluxInt.so", "modules/DemoReluxInt.swiftmodule"] {
            #expect(FileManager.default.fileExists(atPath: "\(bundle)/\(file)"), "\(file)")
        }
        // Once more, in its place.
        #expect(try SDKWriter().add([packed], to: made) == ["Demo"])
        #expect(try FileManager.default.contentsOfDirectory(atPath: "\(sdk)/Plugins") == ["Demo"])
    }

    @Test func `what is of another runtime, or not as it was packed, is refused by name, and nothing is added`() throws {
        let packed = try pack()
        let other = try makeSDK(runtimeGuard: "relux_abi_other")
        let refused = #expect(throws: PackError.self) { try SDKWriter().add([packed], to: other) }
        #expect(refused?.code == .sdkRuntime)
        for part in ["Demo", reluxRuntimeGuard, "relux_abi_other", "relux sdk export"] { #expect(refused?.message.contains(part) == true, "\(part)") }

        let made = try makeSDK()
        let module = "\(packed)/DemoModels.swiftmodule"
        try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: module)
        try Data("else".utf8).write(to: URL(fileURLWithPath: module))
        let changed = #expect(throws: PackError.self) { try SDKWriter().add([packed], to: made) }
        #expect(changed?.code == .sdkSource && changed?.message.contains(module) == true, "\(changed as Any)")
        // All or none: the orchestrator has no interface.
        let whole = try pack()
        let demo = try DemoPackage.shared.get()
        let orchestrator = try Packer(
            describe: { _ in .init(id: "DemoOrchestration", version: "1.0.0", kind: .orchestrator, handles: [], emits: []) }, rawValues: { _, _ in [:] }
        ).pack(library: demo.orchestrator, into: directory.file("packed"), modules: demo.modules).directory
        #expect(#expect(throws: PackError.self) { try SDKWriter().add([whole, orchestrator], to: made) }?.message.contains("has no interface") == true)
        let nowhere = #expect(throws: PackError.self) { try SDKWriter().add([directory.file("nothing")], to: made) }
        #expect(nowhere?.code == .sdkSource && nowhere?.message.contains("relux module pack") == true)
        #expect(made.interfaces == [] && (try? FileManager.default.contentsOfDirectory(atPath: "\(sdk)/Plugins"))?.isEmpty != false)
    }

    @Test func `something else in the place of an SDK stays as it is`() throws {
        let folder = directory.file("mine")
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        let file = "\(folder)/thesis.txt"
        try Data("years".utf8).write(to: URL(fileURLWithPath: file))
        let made = try makeSDK()
        let refused = #expect(throws: PackError.self) { try SDKWriter().copy(made, to: folder) }
        #expect(refused?.code == .sdk && refused?.message.contains(folder) == true)
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder) == ["thesis.txt"])
        #expect(#expect(throws: PackError.self) { try SDK(at: folder) }?.code == .sdk)
        let unbuilt = #expect(throws: PackError.self) { try SDKWriter().export(build: folder, version: "0", to: directory.file("new")) { _ in nil } }
        #expect(unbuilt?.code == .sdkSource && unbuilt?.message.contains("--target ReluxSDK") == true)
        #expect(!FileManager.default.fileExists(atPath: directory.file("new")))
        // Neither itself, nor a folder in it, nor what a link leads to.
        for place in [sdk, "\(sdk)/inside"] { #expect(#expect(throws: PackError.self) { try SDKWriter().copy(made, to: place) }?.message.contains("lies in it") == true) }
        let link = directory.file("link")
        try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: "sdk")
        #expect(#expect(throws: PackError.self) { try SDKWriter().copy(made, to: link) }?.code == .sdk)
        #expect(try SDKWriter().copy(SDK(at: link), to: directory.file("linked")).note.version == "0.0.1")
        #expect((try? FileManager.default.destinationOfSymbolicLink(atPath: directory.file("linked"))) == nil)
        // A copy is one.
        #expect(try SDKWriter().copy(made, to: directory.file("copy")).note.version == "0.0.1")
        #expect(try FileManager.default.contentsOfDirectory(atPath: directory.path).filter { $0.hasPrefix(".") } == [])
    }
}
