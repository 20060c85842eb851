import Foundation
import Relux
import ReluxLayers
import ReluxLoader
import ReluxPlugin
import ReluxWire
import Testing

@Suite struct PluginVerifierTests {
    @Test func `an honest plugin passes and tells what it really imports`() throws {
        let shop = Workshop()
        let directory = try shop.pack([
            shop.library(
                "libDemoReluxImpl.so",
                needs: ["libRelux.so", "libDemoModels.so", "libNavigationReluxInt.so", "libNavigationModels.so"]),
            shop.library("libDemoModels.so", ""),
            shop.library("libNavigationReluxInt.so", "", needs: ["libNavigationModels.so"]),
        ])
        let plugin = try Workshop.verifier(kinds: ["Navigation": .infrastructure]).verify(directory: directory)
        #expect(plugin.imports == ["NavigationReluxInt"])
        #expect(plugin.platform == ["libRelux.so"])
        #expect(plugin.libraryPath == "\(directory)/libDemoReluxImpl.so")
    }

    @Test func `a kit of interfaces passes, and one that brings what works along is refused by its name`() throws {
        let shop = Workshop()
        let models = try shop.library("libDemoModels.so", "")
        let interface = try shop.library("libDemoReluxInt.so", "", needs: ["libDemoModels.so"])
        let sky = try shop.library("libSkyOrchestration.so", needs: ["libRelux.so", "libDemoKit.so"])
        let kit = try shop.library("libDemoKit.so", "", needs: ["libDemoReluxInt.so", "libDemoModels.so", "libRelux.so"])
        let declaration = Workshop.declaration("SkyOrchestration", .orchestrator)
        let verifier = Workshop.verifier(kinds: ["Demo": .domain])
        let sound = try verifier.verify(directory: shop.pack([sky, kit, interface, models], as: "sound", declaration: declaration))
        #expect(sound.imports == ["DemoReluxInt"])
        let greedy = try shop.library("libDemoKit.so", "", needs: ["libDemoReluxInt.so", "libDemoServiceImpl.so"])
        let directory = try shop.pack([sky, greedy, interface, models], as: "greedy", declaration: declaration)
        do throws(LoaderError) {
            _ = try verifier.verify(directory: directory)
            Issue.record("it was let in")
        } catch {
            #expect(error.code.name == "layer.implToImpl" && error.description.contains("libDemoKit.so"), "\(error)")
        }
    }

    @Test func `a changed, shortened, missing or added file is refused`() throws {
        let shop = Workshop()
        let library = try shop.library("libDemoReluxImpl.so")
        func changed(_ name: String, _ change: (String) throws -> Void) throws -> LoaderError.Code? {
            let directory = try shop.pack([library], as: name)
            try change(directory)
            return try refusal { try Workshop.verifier().verify(directory: directory) }
        }
        let file = "libDemoReluxImpl.so"
        #expect(
            try changed("flipped") { directory in
                var bytes = try readFile("\(directory)/\(file)")
                bytes[bytes.count / 2] ^= 1
                try Data(bytes).write(to: URL(fileURLWithPath: "\(directory)/\(file)"))
            } == .hash)
        #expect(
            try changed("cut") { directory in
                let bytes = try readFile("\(directory)/\(file)")
                try Data(bytes[..<(bytes.count / 2)]).write(to: URL(fileURLWithPath: "\(directory)/\(file)"))
            } == .truncated)
        #expect(
            try changed("grown") { directory in
                let bytes = try readFile("\(directory)/\(file)")
                try Data(bytes + [0]).write(to: URL(fileURLWithPath: "\(directory)/\(file)"))
            } == .size)
        #expect(try changed("gone") { try FileManager.default.removeItem(atPath: "\($0)/\(file)") } == .missing)
        #expect(
            try changed("linked") { directory in
                try FileManager.default.removeItem(atPath: "\(directory)/\(file)")
                try FileManager.default.createSymbolicLink(atPath: "\(directory)/\(file)", withDestinationPath: library)
            } == .missing)
        #expect(try changed("added") { try Data([1]).write(to: URL(fileURLWithPath: "\($0)/libMore.so")) } == .unlisted)
        #expect(
            try changed("noManifest") { try FileManager.default.removeItem(atPath: "\($0)/manifest.json") } == .unreadable)
        #expect(
            try changed("badManifest") { try Data("{".utf8).write(to: URL(fileURLWithPath: "\($0)/manifest.json")) }
                == .manifest)
    }

    @Test func `a manifest that points outside, of another format or without its library is refused`() throws {
        let shop = Workshop()
        let library = try shop.library("libDemoReluxImpl.so")
        func changed(_ name: String, _ change: (inout PluginManifest) -> Void) throws -> LoaderError.Code? {
            let directory = try shop.pack([library], as: name)
            var manifest = try shop.manifest(of: directory)
            change(&manifest)
            try shop.write(manifest, to: directory)
            return try refusal { try Workshop.verifier().verify(directory: directory) }
        }
        #expect(
            try changed("outside") { $0.files.append(.init(name: "../built/libDemoReluxImpl.so", size: 1, sha256: "")) }
                == .fileName)
        #expect(try changed("future") { $0.format = 2 } == .format)
        #expect(try changed("other") { $0.library = "libOther.so" } == .manifest)
    }

    @Test func `what is no library of this machine is refused although its manifest is honest`() throws {
        let shop = Workshop()
        let bytes = try readFile(try shop.library("libDemoReluxImpl.so"))
        var foreign = bytes
        foreign.replaceSubrange(18..<20, with: ElfImage.hostMachine == 183 ? [62, 0] : [183, 0])
        var narrow = bytes
        narrow[4] = 1
        var object = bytes
        object[16] = 1
        let cases: [(String, [UInt8], LoaderError.Code)] = [
            ("foreign", foreign, .machine), ("narrow", narrow, .elfClass), ("object", object, .fileType),
            ("text", Array("a plugin, honestly".utf8), .notELF), ("empty", [], .truncated),
            ("cut", Array(bytes[..<(bytes.count - 64)]), .truncated),
            ("half", Array(bytes[..<(bytes.count / 2)]), .truncated),
        ]
        for (name, content, code) in cases {
            let file = shop.path("\(name)/libDemoReluxImpl.so")
            try FileManager.default.createDirectory(atPath: shop.path(name), withIntermediateDirectories: true)
            try Data(content).write(to: URL(fileURLWithPath: file))
            let directory = try shop.pack([file], as: "\(name).packed")
            #expect(try refusal { try Workshop.verifier().verify(directory: directory) } == code, "\(name)")
        }
    }

    @Test func `a plugin of another runtime, without a guard or without an entry is refused`() throws {
        let shop = Workshop()
        func verify(_ name: String, _ source: String) throws -> LoaderError.Code? {
            let directory = try shop.pack([shop.library("libDemoReluxImpl.so", source, in: name)], as: "\(name).packed")
            return try refusal { try Workshop.verifier().verify(directory: directory) }
        }
        #expect(try verify("guard", Workshop.plainEntry(guard: "relux_abi_0000000000000002")) == .runtimeGuard)
        #expect(try verify("noGuard", "void *relux_plugin_main(void) { return 0; }") == .runtimeGuard)
        let symbol = reluxRuntimeGuard
        #expect(try verify("noEntry", "extern int \(symbol)(void); int f(void) { return \(symbol)(); }") == .entry)
        #expect(
            try verify("core", "int \(symbol)(void) { return 1; } void *relux_plugin_main(void) { return 0; }")
                == .coreCopy)
    }

    @Test func `a plugin with a copy of the core or of its own types is refused`() throws {
        let shop = Workshop()
        let copy = try shop.library(
            "libDemoReluxImpl.so", Workshop.plainEntry() + "int a __asm__(\"$s5ReluxAAO6EffectPMp\");")
        #expect(
            try refusal { try Workshop.verifier().verify(directory: try shop.pack([copy], as: "core")) } == .coreCopy)

        let user = "int a __asm__(\"$s10DemoModels4UserVMn\");"
        let twice = [
            try shop.library("libDemoReluxImpl.so", Workshop.plainEntry() + user, in: "twice"),
            try shop.library("libDemoModels.so", user, in: "twice"),
        ]
        #expect(
            try refusal { try Workshop.verifier().verify(directory: try shop.pack(twice, as: "types")) } == .typeCopy)
    }

    @Test(arguments: ["$s5ReluxAAO10DemoModelsE3FooVMn", "$s5ReluxAAO04DemoA3IntE3FooVMn"])
    func `a type that a plugin nests into the core's namespace is its own`(symbol: String) throws {
        let shop = Workshop()
        let library = try shop.library(
            "libDemoReluxImpl.so", Workshop.plainEntry() + "int a __asm__(\"\(symbol)\");")
        _ = try Workshop.verifier().verify(directory: try shop.pack([library]))
    }

    @Test func `needed entries decide over layers, whatever the manifest says`() throws {
        let shop = Workshop()
        let kinds: [String: ModuleDeclaration.Kind] = ["Auth": .domain, "DataOrchestration": .orchestrator]
        func verify(
            _ name: String, needs: String, _ kind: ModuleDeclaration.Kind = .domain
        ) throws -> LoaderError.Code? {
            let library = try shop.library("libDemoReluxImpl.so", needs: [needs], in: name)
            let directory = try shop.pack(
                [library], as: "\(name).packed", declaration: Workshop.declaration("Demo", kind))
            return try refusal { try Workshop.verifier(kinds: kinds).verify(directory: directory) }
        }
        #expect(try verify("impl", needs: "libAuthReluxImpl.so") == LoaderError.Code(.implementation))
        #expect(try verify("domain", needs: "libAuthReluxInt.so") == LoaderError.Code(.domainToDomain))
        #expect(
            try verify("orchestrator", needs: "libDataOrchestrationReluxInt.so", .orchestrator)
                == LoaderError.Code(.orchestratorToOrchestrator))
    }

    @Test func `another's implementation beside an orchestrator is refused`() throws {
        let shop = Workshop()
        let library = try shop.library("libDemoOrchestration.so")
        let carried = try shop.pack(
            [library, shop.library("libAuthServiceImpl.so", "")], as: "carried",
            declaration: Workshop.declaration("DemoOrchestration", .orchestrator))
        #expect(
            try refusal { try Workshop.verifier(kinds: ["Auth": .domain]).verify(directory: carried) } == LoaderError.Code(.implementation))
    }
}
