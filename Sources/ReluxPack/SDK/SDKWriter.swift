import Foundation
import Relux
import ReluxLayers
import ReluxLoader
package import ReluxPlugin

/// Writes an SDK out of a build, and adds interfaces out of packed plugins.
package struct SDKWriter: Sendable {
    private let toolchain: Toolchain
    private let runtimeGuard: String

    package init(toolchain: Toolchain = Toolchain(), runtimeGuard: String = reluxRuntimeGuard) {
        self.toolchain = toolchain
        self.runtimeGuard = runtimeGuard
    }

    // MARK: Out of a build

    /// Puts a whole SDK in the place of the folder, which may be one already; whoever reads sees the old one or the new one.
    /// - Parameters:
    ///   - build: where `swift build` has put libraries and `Modules`; the target `ReluxSDK` has to be built.
    ///   - version: Relux's.
    ///   - kind: what a library of a domain says of its module; nil when it cannot be asked.
    /// - Throws: `sdk.folder`, `sdk.source`, `sdk.runtime`, `pack.toolchain`, `pack.write`.
    package func export(
        build: String, version: String, to folder: String, kind: (_ library: String) -> ModuleDeclaration.Kind?
    ) throws(PackError) -> SDK {
        try checkRuntime(of: build)
        try SDKFolder(folder).replace { draft throws(PackError) in
            let target = try toolchain.target()
            let needed = try interfaces(in: build)
            let domains = Set(needed.keys.compactMap { Layer.split($0)?.module }).sorted().map { SDKContents.interface(of: $0, needed: needed) }
            for package in [SDKContents.core, SDKContents.database] + domains {
                let facts = Facts(target: target, version: version, kind: package.isPlatform ? nil : kind("\(build)/lib\(package.name)ReluxImpl.so"))
                try write(package, at: draft, facts) { library throws(PackError) in try deliver(library, of: build, into: draft) }
            }
            let note = SDK.Note(
                schema: SDK.Note.schema, version: version, runtimeGuard: runtimeGuard, compiler: try toolchain.version(), target: target)
            try put(note.text, "\(draft)/\(SDK.Note.fileName)")
        }
        return try SDK(at: folder)
    }

    /// What the SDK says of itself must be so.
    private func checkRuntime(of build: String) throws(PackError) {
        let core = "\(build)/libRelux.so"
        guard PlainFile.contents(core) != nil else { throw Self.unbuilt(core) }
        let found: String?
        do throws(LoaderError) { found = try ElfImage(contentsOf: core).ownGuards.first } catch {
            throw PackError(.sdkSource, "\(core): \(error); build again")
        }
        guard found == runtimeGuard else {
            throw PackError(
                .sdkRuntime, "\(core) is runtime \(found ?? "none"), and this relux is \(runtimeGuard); ask that build's own: \(build)/relux sdk export DIR --build \(build)")
        }
    }

    /// A copy of an SDK, for a machine without Relux or to add interfaces to.
    package func copy(_ sdk: SDK, to folder: String) throws(PackError) -> SDK {
        // A link would be copied as one.
        let source = URL(fileURLWithPath: sdk.folder).resolvingSymlinksInPath().path
        let target = SDKFolder(folder)
        guard target.resolved != source, !target.resolved.hasPrefix(source + "/") else {
            throw PackError(.sdk, "\(folder) is the SDK that is copied, or lies in it; name another folder")
        }
        try target.replace { draft throws(PackError) in try SDKFolder.copy(source, to: draft) }
        return try SDK(at: folder)
    }

    // MARK: Out of packed plugins

    /// Adds the interfaces of packed modules, or puts them in the place of those that are there; all of them or none.
    /// - Parameter directories: packed plugins, for example `packed/Notes/current`.
    /// - Returns: the domains that were added.
    /// - Throws: `sdk.source`, `sdk.runtime`, `pack.write`.
    package func add(_ directories: [String], to sdk: SDK) throws(PackError) -> [String] {
        var plugins: [(packed: PackedInterface, package: SDKContents.Package)] = []
        for directory in directories {
            let packed = try PackedInterface(in: directory)
            guard packed.manifest.runtimeGuard == sdk.note.runtimeGuard else {
                throw PackError(
                    .sdkRuntime,
                    "\(packed.domain) in \(directory) was built against runtime \(packed.manifest.runtimeGuard), the SDK in \(sdk.folder) is \(sdk.note.version), "
                        + "runtime \(sdk.note.runtimeGuard); pack it again with that relux, or export the SDK of this one: relux sdk export DIR")
            }
            plugins.append((packed, packed.package))
        }
        let names = Set(plugins.map(\.packed.domain))
        for plugin in plugins {
            let missing = sdk.missing(for: plugin.package, besides: names)
            guard missing.isEmpty else {
                throw PackError(
                    .sdkSource,
                    "\(plugin.packed.domain) needs the interface of \(missing.joined(separator: " and ")), which the SDK lacks; add all of them: "
                        + "relux sdk add \((missing + names.sorted()).joined(separator: " "))")
            }
        }
        // A whole one beside it, so that nobody sees half of what was added.
        let source = URL(fileURLWithPath: sdk.folder).resolvingSymlinksInPath().path
        try SDKFolder(source).replace { draft throws(PackError) in
            try SDKFolder.copy(source, to: draft)
            for plugin in plugins {
                try? FileManager.default.removeItem(atPath: "\(draft)/\(plugin.package.folder)")
                let facts = Facts(target: sdk.note.target, version: sdk.note.version, kind: plugin.packed.manifest.module.kind)
                try write(plugin.package, at: draft, facts) { library throws(PackError) in try plugin.packed.deliver(library) }
            }
        }
        return names.sorted()
    }

    // MARK: Writing

    private struct Facts {
        let target: String
        let version: String
        let kind: ModuleDeclaration.Kind?
    }

    private typealias Delivery = (library: [UInt8], modules: [(name: String, bytes: [UInt8])])

    private func write(
        _ package: SDKContents.Package, at root: String, _ facts: Facts, deliver: (SDKContents.Library) throws(PackError) -> Delivery
    ) throws(PackError) {
        let folder = package.folder.isEmpty ? root : "\(root)/\(package.folder)"
        for library in package.libraries {
            let delivery = try deliver(library)
            let bundle = "\(folder)/\(library.bundle)"
            try put(library.info(target: facts.target, version: facts.version), "\(bundle)/info.json")
            try put(delivery.library, "\(bundle)/lib/\(library.file)")
            for file in delivery.modules { try put(file.bytes, "\(bundle)/modules/\(file.name)") }
            if package.isPlatform { try slim("\(bundle)/lib/\(library.file)") }
        }
        for (path, text) in package.links { try put(text, "\(folder)/\(path)") }
        if let kind = facts.kind { try put("\(kind.rawValue)\n", "\(folder)/\(SDK.kindFile)") }
        try put(package.manifest, "\(folder)/Package.swift")
    }

    /// Without what only a debugger and a profiler read: SwiftPM copies every library into every build.
    private func slim(_ path: String) throws(PackError) { try toolchain.runTool("llvm-objcopy", ["--strip-unneeded", path]) }

    private func put(_ text: String, _ path: String) throws(PackError) { try put([UInt8](text.utf8), path) }

    private func put(_ bytes: [UInt8], _ path: String) throws(PackError) {
        let url = URL(fileURLWithPath: path)
        try SDKFolder.attempt(path) {
            try FileManager.default.createDirectory(at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
            try Data(bytes).write(to: url)
        }
    }

    // MARK: Reading a build

    private func deliver(_ library: SDKContents.Library, of build: String, into draft: String) throws(PackError) -> Delivery {
        var modules = library.modules.flatMap { ModuleFolders.files(of: $0, in: ["\(build)/Modules"]) }
        if let absent = library.modules.first(where: { module in !modules.contains { $0.name == "\(module).swiftmodule" } }) {
            throw Self.unbuilt("\(build)/Modules/\(absent).swiftmodule")
        }
        if let headers = library.headers { modules += try Self.headers(headers, of: build) }
        if let text = library.interface { modules.append(("\(library.name).swiftinterface", [UInt8](text.utf8))) }
        if case .objects(let targets, let links) = library.origin {
            // Those before it are there.
            let others = SDKContents.core.libraries.filter { links.contains($0.name) }
            return (try link(library.file, of: targets, to: others.map { ("\(draft)/\($0.bundle)/lib", $0.name) }, build), modules)
        }
        let path = "\(build)/\(library.file)"
        guard let data = PlainFile.contents(path) else { throw Self.unbuilt(path) }
        return ([UInt8](data), modules)
    }

    /// The files of a C module; a compiler finds the module by its map in the folder of the others.
    private static func headers(_ folder: String, of build: String) throws(PackError) -> [(name: String, bytes: [UInt8])] {
        // `.build/debug` is a link one folder deeper.
        let above = URL(fileURLWithPath: build).resolvingSymlinksInPath().deletingLastPathComponent().deletingLastPathComponent().path
        let place = "\(above)/checkouts/\(folder)"
        let files = ((try? FileManager.default.contentsOfDirectory(atPath: place)) ?? []).sorted()
            .compactMap { name in PlainFile.contents("\(place)/\(name)").map { (name, [UInt8]($0)) } }
        guard !files.isEmpty else { throw unbuilt(place) }
        return files
    }

    private static func unbuilt(_ path: String) -> PackError {
        PackError(.sdkSource, "\(path) is missing; build what an SDK has, in the same configuration: swift build --target ReluxSDK")
    }

    /// An entry of a target's `output-file-map.json`, by source.
    private struct OutputFile: Decodable { let object: String? }

    /// Links what the package links into its own programs as objects: as libraries they are in a process once, whoever else links them.
    private func link(_ file: String, of targets: [String], to others: [(folder: String, name: String)], _ build: String) throws(PackError) -> [UInt8] {
        var objects: [String] = []
        for target in targets { objects += try Self.objects(of: target, build) }
        let scratch = FileManager.default.temporaryDirectory.appendingPathComponent("relux-sdk-\(UUID().uuidString)").path
        defer { try? FileManager.default.removeItem(atPath: scratch) }
        try SDKFolder.attempt(scratch) { try FileManager.default.createDirectory(atPath: scratch, withIntermediateDirectories: true) }
        let library = "\(scratch)/\(file)"
        try toolchain.runTool(
            "swiftc",
            ["-emit-library", "-o", library, "-Xlinker", "-soname=\(file)", "-Xlinker", "-rpath=$ORIGIN", "-Xlinker", "-z", "-Xlinker", "defs"] + objects
                + others.flatMap { ["-L", $0.folder, "-l\($0.name)"] })
        guard let bytes = PlainFile.contents(library) else { throw Self.unbuilt(library) }
        return [UInt8](bytes)
    }

    /// What the sources of now were compiled to; other objects may lie there.
    private static func objects(of target: String, _ build: String) throws(PackError) -> [String] {
        let folder = "\(build)/\(target).build"
        if target.hasPrefix("C") {
            let found = ((try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []).filter { $0.hasSuffix(".o") }.sorted()
            guard !found.isEmpty else { throw unbuilt("\(folder)/*.o") }
            return found.map { "\(folder)/\($0)" }
        }
        let map = "\(folder)/output-file-map.json"
        guard let data = PlainFile.contents(map), let files = try? JSONDecoder().decode([String: OutputFile].self, from: data) else { throw unbuilt(map) }
        // Without a name is the whole module's, which a release build has none of.
        return files.compactMap { $0.key.isEmpty ? nil : $0.value.object }.sorted()
    }

    /// What the libraries of the build that others may import need, by their stems.
    private func interfaces(in build: String) throws(PackError) -> [String: [String]] {
        let names = ((try? FileManager.default.contentsOfDirectory(atPath: build)) ?? []).filter { $0.hasPrefix("lib") && $0.hasSuffix(".so") }
        var needed: [String: [String]] = [:]
        for name in names {
            let stem = LibraryName(file: name).stem
            guard SDKContents.isOffered(stem) else { continue }
            do throws(LoaderError) { needed[stem] = try ElfImage(contentsOf: "\(build)/\(name)").needed } catch {
                throw PackError(.sdkSource, "\(build)/\(name): \(error); build again")
            }
        }
        return needed
    }
}
