import Foundation
import ReluxHost
import ReluxPlugin
import ReluxWire
import Testing

@Suite struct PackedNeighboursTests {
    /// A tree with these modules, each in version 1.0.0 and with `current` beside it.
    private func tree(_ modules: [(ModuleID, ModuleDeclaration.Kind)]) throws -> (shop: Workshop, own: String) {
        let shop = try Workshop()
        for (module, kind) in modules {
            let directory = try shop.pack([], as: "packed/\(module)/1.0.0", id: module, kind)
            try FileManager.default.createSymbolicLink(
                atPath: shop.path("packed/\(module)/current"), withDestinationPath: directory)
        }
        return (shop, shop.path("packed/Demo/1.0.0"))
    }

    @Test func `kinds are those of the modules whose libraries are named, and of nobody else`() throws {
        let (shop, own) = try tree([
            ("Demo", .domain), ("Auth", .domain), ("Navigation", .infrastructure), ("Notes", .domain), ("SkyOrchestration", .orchestrator),
        ])
        let neighbours = PackedNeighbours(beside: own)
        let files = ["libDemoModels.so", "libNavigationReluxInt.so", "libAuthCrypto.so", "libSkyOrchestration.so", "libRelux.so", "libc.so.6"]
        #expect(
            neighbours.kinds(ofOwnersOf: files) == ["Navigation": .infrastructure, "Auth": .domain, "SkyOrchestration": .orchestrator])
        #expect(neighbours.kinds(ofOwnersOf: ["libMissingReluxInt.so", "lib../AuthReluxInt.so", "lib.ReluxInt.so"]) == [:])
        withExtendedLifetime(shop) {}
    }

    @Test func `the version in use is asked first, and any other when it cannot be read`() throws {
        let (shop, own) = try tree([("Demo", .domain), ("Auth", .domain)])
        let newer = try shop.pack([], as: "packed/Auth/2.0.0", id: "Auth", .infrastructure)
        let neighbours = PackedNeighbours(beside: own)
        #expect(neighbours.kinds(ofOwnersOf: ["libAuthReluxInt.so"]) == ["Auth": .domain])
        try FileManager.default.removeItem(atPath: shop.path("packed/Auth/current"))
        #expect(neighbours.kinds(ofOwnersOf: ["libAuthReluxInt.so"]) == ["Auth": .infrastructure])
        try Data("no manifest".utf8).write(to: URL(fileURLWithPath: "\(newer)/manifest.json"))
        #expect(neighbours.kinds(ofOwnersOf: ["libAuthReluxInt.so"]) == ["Auth": .domain])
    }

    @Test func `a verifier asks the neighbours for what it needs, and hands on the platform's libraries once`() throws {
        let (shop, _) = try tree([("Navigation", .infrastructure), ("Auth", .domain)])
        let library = try shop.library(
            "libDemoReluxImpl.so", needs: ["libRelux.so", "libDemoModels.so", "libNavigationReluxInt.so"])
        let models = try shop.library("libDemoModels.so", "", needs: ["libRelux.so", "libc.so.6"])
        let interface = try shop.library("libNavigationReluxInt.so", "")
        let directory = try shop.pack([library, models, interface], as: "packed/Demo/1.0.0")
        let verifier = PluginVerifier(neighbours: PackedNeighbours(beside: directory))
        var early: [String] = []
        let verified = try verifier.verify(directory: directory) { early += $0 }
        #expect(verified.imports == ["NavigationReluxInt"])
        #expect(early.sorted() == ["libRelux.so", "libc.so.6"] && verified.platform == early.sorted())
        let bold = try shop.library("libDemoReluxImpl.so", needs: ["libRelux.so", "libAuthReluxInt.so"])
        let other = try shop.pack([bold], as: "packed/Demo/2.0.0")
        #expect(try refusal { try verifier.verify(directory: other) } == .domainToDomain)
    }
}

extension Workshop {
    /// A manifest alone, with no library.
    fileprivate func pack(_ files: [PluginManifest.File], as name: String, id: ModuleID, _ kind: ModuleDeclaration.Kind) throws -> String {
        let directory = path(name)
        try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
        try write(
            PluginManifest(
                module: Workshop.declaration(id, kind), library: "lib\(id).so", files: files, runtimeGuard: reluxRuntimeGuard,
                compiler: "Swift", target: "x86_64-unknown-linux-gnu", imports: [], contract: Contract()),
            to: directory)
        return directory
    }
}
