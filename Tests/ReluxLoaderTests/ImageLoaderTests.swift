import Foundation
import ReluxLoader
import ReluxPlugin
import ReluxWire
import Testing

/// One Swift plugin, compiled against the very libRelux.so that this process runs.
private enum BuiltPlugin {
    static func source(_ version: String) -> String {
        """
        import Relux
        import ReluxPlugin
        import ReluxWire
        public enum Demo { public enum Business { public enum Effect: Relux.Effect { case sent } } }
        struct DemoModule: Relux.Plugin {
            static let moduleID: ModuleID = "Demo"
            static let version = "\(version)"
            static var handles: [any Relux.Effect.Type]? { [Demo.Business.Effect.self] }
            var states: [any Relux.AnyState] { [] }
            var sagas: [any Relux.Saga] { [] }
            var greeting = "hello"
        }
        @c(relux_plugin_main) public func pluginMain() -> UnsafeMutableRawPointer { exportModule(DemoModule.self) }
        """
    }

    static func compile(_ name: String, _ source: String, into folder: String) throws -> String {
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        let file = "\(folder)/\(name).swift"
        try source.write(toFile: file, atomically: true, encoding: .utf8)
        let output = "\(folder)/lib\(name).so"
        try Workshop.run(
            "swiftc", "-swift-version", "6", "-parse-as-library", "-emit-library", "-module-name", name,
            "-I", "\(Workshop.buildFolder)/Modules", "-L", Workshop.buildFolder, "-lRelux", "-o", output, file)
        return output
    }
}

@Suite(.serialized) struct ImageLoaderTests {
    @Test func `a real plugin loads, makes its module, and only the same code has a second life`() async throws {
        let shop = Workshop()
        let built = try BuiltPlugin.compile("DemoReluxImpl", BuiltPlugin.source("1.0.0"), into: shop.path("v1"))
        let image = try ElfImage(contentsOf: built)
        #expect(image.wantedGuards == [reluxRuntimeGuard], "each plugin has exactly one undefined guard")
        #expect(try describe(library: built) == Workshop.declaration())

        let loader = ImageLoader()
        let verified = try Workshop.verifier().verify(directory: try shop.pack([built], as: "first"))
        let plugin = try loader.load(verified)
        #expect(plugin.declaration == verified.manifest.module)
        let module = try await plugin.box.make()
        #expect("\(module)" == "DemoModule(greeting: \"hello\")")

        #expect(try refusal { try loader.load(verified) } == .moduleTwice)
        loader.release("Demo")
        let again = try loader.load(try Workshop.verifier().verify(directory: try shop.pack([built], as: "again")))
        #expect(again.box === plugin.box, "the idle image is used again, wherever the same files lie")
        loader.release("Demo")
        var changed = verified.manifest
        changed.files[0].sha256 = String(repeating: "1", count: 64)
        let newer = VerifiedPlugin(directory: verified.directory, manifest: changed, imports: [], platform: [])
        #expect(try refusal { try loader.load(newer) } == .otherVersion)

        var manifest = verified.manifest
        manifest.module.id = "Demo2"
        manifest.files[0].sha256 = String(repeating: "0", count: 64)
        let other = VerifiedPlugin(directory: verified.directory, manifest: manifest, imports: [], platform: [])
        #expect(try refusal { try loader.load(other) } == .otherVersion)
    }

    @Test func `a manifest with another declaration than the library's is refused`() throws {
        let shop = Workshop()
        let built = try BuiltPlugin.compile("DemoReluxImpl", BuiltPlugin.source("2.0.0"), into: shop.path("v2"))
        let verified = try Workshop.verifier().verify(directory: try shop.pack([built]))
        #expect(try refusal { try ImageLoader().load(verified) } == .declaration)
    }

    @Test func `a module that declares a type whose name cannot travel is neither described nor loaded`() throws {
        let shop = Workshop()
        let name = String(repeating: "Long", count: 55)
        let source = """
            import Relux
            import ReluxPlugin
            public enum \(name) { public enum Effect: Relux.Effect { case sent } }
            struct Module: Relux.Plugin {
                static let moduleID: ModuleID = "Demo"
                static var handles: [any Relux.Effect.Type]? { [\(name).Effect.self] }
                var states: [any Relux.AnyState] { [] }
                var sagas: [any Relux.Saga] { [] }
            }
            @c(relux_plugin_main) public func pluginMain() -> UnsafeMutableRawPointer { exportModule(Module.self) }
            """
        let built = try BuiltPlugin.compile("DemoReluxImpl", source, into: shop.path("long"))
        let verified = try Workshop.verifier().verify(directory: try shop.pack([built], as: "packed"))
        for judge in [{ _ = try describe(library: built) }, { _ = try ImageLoader().load(verified) }] {
            let error = #expect(throws: LoaderError.self) { try judge() }
            #expect(error?.code == .topic)
            #expect(error?.message.contains("LongLong") == true && error?.message.contains("227 bytes, the limit is 200") == true)
        }
    }

    @Test func `the loader's own words are passed on`() throws {
        let shop = Workshop()
        let missing = try shop.library(
            "libDemoReluxImpl.so", Workshop.plainEntry() + "extern int nowhere(void); int g(void) { return nowhere(); }")
        let verified = try Workshop.verifier().verify(directory: try shop.pack([missing]))
        do throws(LoaderError) {
            _ = try ImageLoader().load(verified)
            Issue.record("it was loaded")
        } catch {
            #expect(error.code == .open)
            #expect(error.message.contains("undefined symbol: nowhere"))
        }
    }

    @Test func `the system's loader refuses another runtime's guard even unasked`() throws {
        let shop = Workshop()
        let symbol = "relux_abi_0000000000000002"
        let directory = try shop.pack([shop.library("libDemoReluxImpl.so", Workshop.plainEntry(guard: symbol))])
        let unchecked = VerifiedPlugin(
            directory: directory, manifest: try shop.manifest(of: directory), imports: [], platform: [])
        do throws(LoaderError) {
            _ = try ImageLoader().load(unchecked)
            Issue.record("it was loaded")
        } catch {
            #expect(error.code == .open)
            #expect(error.message.contains("undefined symbol: \(symbol)"))
        }
    }

    @Test func `an entry point that returns nothing is refused`() throws {
        let shop = Workshop()
        let library = try shop.library("libNothingReluxImpl.so")
        let directory = try shop.pack([library], declaration: Workshop.declaration("Nothing"))
        let verified = try Workshop.verifier().verify(directory: directory)
        #expect(try refusal { try ImageLoader().load(verified) } == .entry)
    }

    @Test func `a platform library that the host does not have is named`() throws {
        let shop = Workshop()
        let library = try shop.library("libLackReluxImpl.so", needs: ["libGRDB-absent.so"])
        let directory = try shop.pack([library], declaration: Workshop.declaration("Lack"))
        let verified = try Workshop.verifier().verify(directory: directory)
        #expect(try refusal { try ImageLoader().load(verified) } == .platform)
    }

    @Test func `a library is described only after its neighbours were checked`() throws {
        let shop = Workshop()
        let library = try shop.library("libDemoReluxImpl.so", needs: ["libDemoModels.so"])
        #expect(try refusal { try describe(library: library) } == .missing)
        let models = try shop.library("libDemoModels.so", "")
        let bytes = try readFile(models)
        try Data(bytes[..<(bytes.count - 100)]).write(to: URL(fileURLWithPath: models))
        #expect(try refusal { try describe(library: library) } == .truncated)
    }
}
