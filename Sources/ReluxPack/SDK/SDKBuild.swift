import Foundation
import ReluxLayers
import ReluxLoader

/// A folder that `swift build` has filled, as the source of an SDK.
struct SDKBuild {
    /// For example `.build/debug`.
    let folder: String
    let toolchain: Toolchain

    /// An SDK states one runtime, and its libraries must be of that.
    /// - Throws: `sdk.runtime` for a build of another one, `sdk.source` where no core is.
    func check(_ runtimeGuard: String) throws(PackError) {
        let core = "\(folder)/libRelux.so"
        guard PlainFile.contents(core) != nil else { throw Self.unbuilt(core) }
        let found: String?
        do throws(LoaderError) { found = try ElfImage(contentsOf: core).ownGuards.first } catch {
            throw PackError(.sdkSource, "\(core): \(error); build again")
        }
        guard found == runtimeGuard else {
            throw PackError(
                .sdkRuntime, "\(core) is runtime \(found ?? "none"), and this relux is \(runtimeGuard); ask that build's own: \(folder)/relux sdk export DIR --build \(folder)")
        }
    }

    /// - Parameter draft: the SDK that is written; the libraries that this one links are in it.
    /// - Throws: `sdk.source`, `pack.toolchain`, `pack.write`.
    func deliver(_ library: SDKContents.Library, into draft: String) throws(PackError) -> SDKContents.Delivery {
        var modules = library.modules.flatMap { ModuleFolders.files(of: $0, in: ["\(folder)/Modules"]) }
        if let absent = library.modules.first(where: { module in !modules.contains { $0.name == "\(module).swiftmodule" } }) {
            throw Self.unbuilt("\(folder)/Modules/\(absent).swiftmodule")
        }
        if let headers = library.headers { modules += try self.headers(headers) }
        if let text = library.interface { modules.append(("\(library.name).swiftinterface", [UInt8](text.utf8))) }
        if case .objects(let targets, let links) = library.origin {
            // The libraries before it are there.
            let others = SDKContents.core.libraries.filter { links.contains($0.name) }
            return (try link(library.file, of: targets, to: others.map { ("\(draft)/\($0.bundle)/lib", $0.name) }), modules)
        }
        let path = "\(folder)/\(library.file)"
        guard let data = PlainFile.contents(path) else { throw Self.unbuilt(path) }
        return ([UInt8](data), modules)
    }

    /// The files of a C module; a compiler finds the module by its map in the folder of the others.
    private func headers(_ module: String) throws(PackError) -> [(name: String, bytes: [UInt8])] {
        // `.build/debug` is a link one folder deeper.
        let above = URL(fileURLWithPath: folder).resolvingSymlinksInPath().deletingLastPathComponent().deletingLastPathComponent().path
        let place = "\(above)/checkouts/\(module)"
        let files = ((try? FileManager.default.contentsOfDirectory(atPath: place)) ?? []).sorted()
            .compactMap { name in PlainFile.contents("\(place)/\(name)").map { (name, [UInt8]($0)) } }
        guard !files.isEmpty else { throw Self.unbuilt(place) }
        return files
    }

    private static func unbuilt(_ path: String) -> PackError {
        PackError(.sdkSource, "\(path) is missing; build what an SDK has, in the same configuration: swift build --target ReluxSDK")
    }

    /// An entry of a target's `output-file-map.json`, by source.
    private struct OutputFile: Decodable { let object: String? }

    /// Links what the package links into its own programs as objects: as libraries they are in a process once, whoever else links them.
    private func link(_ file: String, of targets: [String], to others: [(folder: String, name: String)]) throws(PackError) -> [UInt8] {
        var objects: [String] = []
        for target in targets { objects += try self.objects(of: target) }
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

    /// The objects that the present sources were compiled to; earlier ones may lie there too.
    private func objects(of target: String) throws(PackError) -> [String] {
        let place = "\(folder)/\(target).build"
        if target.hasPrefix("C") {
            let found = ((try? FileManager.default.contentsOfDirectory(atPath: place)) ?? []).filter { $0.hasSuffix(".o") }.sorted()
            guard !found.isEmpty else { throw Self.unbuilt("\(place)/*.o") }
            return found.map { "\(place)/\($0)" }
        }
        let map = "\(place)/output-file-map.json"
        guard let data = PlainFile.contents(map), let files = try? JSONDecoder().decode([String: OutputFile].self, from: data) else { throw Self.unbuilt(map) }
        // The entry without a name is the whole module's, and a release build makes no such object.
        return files.compactMap { $0.key.isEmpty ? nil : $0.value.object }.sorted()
    }

    /// The file names that each library which others may import needs, by its stem.
    func interfaces() throws(PackError) -> [String: [String]] {
        let names = ((try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []).filter { $0.hasPrefix("lib") && $0.hasSuffix(".so") }
        var needed: [String: [String]] = [:]
        for name in names {
            let stem = LibraryName(file: name).stem
            guard SDKContents.isOffered(stem) else { continue }
            do throws(LoaderError) { needed[stem] = try ElfImage(contentsOf: "\(folder)/\(name)").needed } catch {
                throw PackError(.sdkSource, "\(folder)/\(name): \(error); build again")
            }
        }
        return needed
    }
}
