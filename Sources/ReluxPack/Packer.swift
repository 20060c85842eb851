import Foundation
import ReluxLayers
import ReluxLoader
package import ReluxPlugin
import ReluxWire

/// A published plugin version.
package struct PackedPlugin: Sendable {
    /// `<out>/<module>/<version>-<hash>`.
    package let directory: String
    package let manifest: PluginManifest
    /// False when the very same content had been packed before.
    package let isNew: Bool
    /// For people: what the contract's extraction could not tell, and which topics have another durability than in the version packed before.
    package let notes: [String]
}

/// Makes an immutable plugin directory out of a built library.
///
/// The newest one is `<out>/<module>/current` too, a link that is replaced whole.
/// It packs the module's libraries and the interfaces that they need; platform libraries stay where the host finds them.
/// A library that links another module's implementation, which no host takes whatever else it runs, is refused here; the rest of layering is judged
/// by every host that loads the result.
package struct Packer: Sendable {
    private let toolchain: Toolchain
    private let describe: @Sendable (String) throws -> ModuleDeclaration
    private let rawValues: @Sendable (String, [String: Int]) throws -> [String: [String]]

    /// - Parameters:
    ///   - describe: how to learn a library's declaration; see ``HostProcess``.
    ///   - rawValues: how to learn the raw values of its enums, given the number of cases by mangled name; see ``HostProcess``.
    package init(
        toolchain: Toolchain = Toolchain(), describe: @escaping @Sendable (String) throws -> ModuleDeclaration,
        rawValues: @escaping @Sendable (String, [String: Int]) throws -> [String: [String]]
    ) {
        self.toolchain = toolchain
        self.describe = describe
        self.rawValues = rawValues
    }

    /// - Parameters:
    ///   - library: for example `.build/debug/libAuthReluxImpl.so`.
    ///   - modules: folders of `.swiftmodule` files; by default `Modules` beside the library, and those of the SDK that it was built with.
    /// - Throws: `LoaderError` for a broken library, ``PackError`` for the rest.
    package func pack(library: String, into out: String, modules: [String]? = nil) throws -> PackedPlugin {
        let closure = try LibraryClosure(library: library)
        guard let root = closure.images.first, let runtimeGuard = root.wantedGuards.first, root.exportsEntry else {
            throw PackError(
                .library, "\(library) is no plugin: it needs an exported \(reluxPluginEntry) that returns exportModule(My.Module.self)")
        }
        let declaration = try describe(library)
        try Self.checkPathComponent(declaration.id.rawValue, of: library)
        try Self.checkPathComponent(declaration.version, of: library)
        try Self.checkLayers(of: closure, module: declaration.id.rawValue)
        let target = try toolchain.target()
        let modules = modules ?? ModuleFolders.beside(library)
        let (extracted, imported) = try contracts(of: closure, library, module: declaration.id.rawValue, target: target, modules: modules)
        let libraries = try closure.images.map { image in
            (name: URL(fileURLWithPath: image.file).lastPathComponent, bytes: try readFile(image.file))
        }
        let interface = Self.interfaceModules(of: closure, module: declaration.id.rawValue, in: modules)
        let contents = libraries + interface
        let manifest = PluginManifest(
            module: declaration, library: contents[0].name, files: Self.listed(libraries),
            runtimeGuard: runtimeGuard, compiler: try toolchain.version(), target: target,
            imports: Self.imports(of: closure, module: declaration.id.rawValue), contract: extracted.contract.stating(declaration.durabilities),
            importedContracts: imported, interfaceModules: Self.listed(interface))
        let changes = Self.current(of: "\(out)/\(declaration.id)")?.module.durabilityChanges(to: declaration) ?? []
        let (directory, isNew) = try publish(manifest, contents, into: out)
        try Self.point(current: "\(out)/\(declaration.id)", at: URL(fileURLWithPath: directory).lastPathComponent)
        return PackedPlugin(directory: directory, manifest: manifest, isNew: isNew, notes: extracted.notes + changes)
    }

    private static func listed(_ contents: [(name: String, bytes: [UInt8])]) -> [PluginManifest.File] {
        contents.map { .init(name: $0.name, size: UInt64($0.bytes.count), sha256: sha256($0.bytes)) }.sorted { $0.name < $1.name }
    }

    /// The compiler's files of the module's models and interface; `relux sdk add` gives them to others.
    private static func interfaceModules(of closure: LibraryClosure, module: String, in folders: [String]) -> [(name: String, bytes: [UInt8])] {
        closure.images.map { LibraryName(file: URL(fileURLWithPath: $0.file).lastPathComponent) }
            .filter { $0.layered?.module == module && SDKContents.isOffered($0.stem) }.map(\.stem).sorted()
            .flatMap { stem in ModuleFolders.files(of: stem, in: folders) }
    }

    /// The contract of a built library alone, to write it beside the interface or to compare it.
    package func contract(ofLibrary library: String, module: String, modules: [String]? = nil) throws -> ExtractedContract {
        let closure = try LibraryClosure(library: library)
        let extracted = try contracts(
            of: closure, library, module: module, target: try toolchain.target(), modules: modules ?? ModuleFolders.beside(library)
        ).own
        // An interface alone says nothing of itself.
        let durabilities = closure.images.first?.exportsEntry == true ? try describe(library).durabilities : [:]
        return ExtractedContract(contract: extracted.contract.stating(durabilities), notes: extracted.notes)
    }

    /// The module's own contract, and the fingerprints of those effect types that it knows from others' interfaces.
    private func contracts(
        of closure: LibraryClosure, _ library: String, module: String, target: String, modules: [String]
    ) throws -> (own: ExtractedContract, imported: [Topic: ContractFingerprint]) {
        var own = ContractExtractor.Source(interfaces: [])
        var others: [ContractExtractor.Source] = []
        for image in closure.images {
            let name = LibraryName(file: URL(fileURLWithPath: image.file).lastPathComponent)
            switch name.layered {
            case (module, .interface)?: own.interfaces.append(name.stem)
            case (_, .interface)?:
                own.supporting.append(name.stem)
                // With what it needs itself, as when its own module is packed.
                others.append(.init(interfaces: [name.stem], supporting: closure.supporting(of: image)))
            case (_, .models)?: own.supporting.append(name.stem)
            case nil where name.stem == module: own.interfaces.append(Self.swiftModule(ofProduct: module, in: modules))
            default: break
            }
        }
        let contracts = try ContractExtractor(toolchain: toolchain, target: target, modules: modules)
            .extract([own] + others) { try rawValues(library, $0) }
        let topics = contracts.dropFirst().flatMap(\.contract.topics)
        return (contracts[0], Dictionary(topics.map { ($0.topic, $0.fingerprint) }) { first, _ in first })
    }

    /// An orchestrator's product has the module's name, its target may have `Impl` after it.
    private static func swiftModule(ofProduct product: String, in folders: [String]) -> String {
        let implementation = "\(product)Impl"
        let isThere = folders.contains { FileManager.default.fileExists(atPath: "\($0)/\(implementation).swiftmodule") }
        return isThere ? implementation : product
    }

    private static func checkLayers(of closure: LibraryClosure, module: String) throws(PackError) {
        for image in closure.images {
            let file = URL(fileURLWithPath: image.file).lastPathComponent
            guard let owner = LibraryName(file: file).owner(among: [module]) else { continue }
            for needed in image.needed {
                guard let (other, layer) = LibraryName(file: needed).layered, other != owner else { continue }
                // Whether the two may know each other at all is judged where their kinds are known.
                guard Layering.broken(by: .orchestrator, knowing: layer, of: nil) != nil else { continue }
                throw PackError(
                    .layer, "\(file) of \(owner) links \(needed): nobody links what works in another module; link lib\(other)ReluxInt.so instead")
            }
        }
    }

    private static func imports(of closure: LibraryClosure, module: String) -> [String] {
        var imports: Set<String> = []
        for image in closure.images
        where LibraryName(file: URL(fileURLWithPath: image.file).lastPathComponent).owner(among: [module]) == module {
            for needed in image.needed {
                let library = LibraryName(file: needed)
                if let interface = library.imported, library.layered?.module != module { imports.insert(interface) }
            }
        }
        return imports.sorted()
    }

    /// Writes beside the final place and renames, so that nobody ever sees half a version.
    private func publish(
        _ manifest: PluginManifest, _ contents: [(name: String, bytes: [UInt8])], into out: String
    ) throws -> (directory: String, isNew: Bool) {
        let files = FileManager.default
        let json = try PackedJSON.data(manifest)
        let parent = "\(out)/\(manifest.module.id)"
        let name = "\(manifest.module.version)-\(sha256([UInt8](json)).prefix(8))"
        let directory = "\(parent)/\(name)"
        if Self.holds(directory, json, contents) { return (directory, false) }
        let draft = "\(parent)/.\(name).\(UUID().uuidString)"
        do {
            try files.createDirectory(atPath: draft, withIntermediateDirectories: true)
            for file in contents {
                try Data(file.bytes).write(to: URL(fileURLWithPath: "\(draft)/\(file.name)"))
                try files.setAttributes([.posixPermissions: 0o444], ofItemAtPath: "\(draft)/\(file.name)")
            }
            try json.write(to: URL(fileURLWithPath: "\(draft)/\(PluginManifest.fileName)"))
            // A damaged version makes room. Nobody writes to its files: hosts may have loaded them.
            let aside = "\(draft).damaged"
            let isDamaged = rename(directory, aside) == 0
            guard rename(draft, directory) == 0 else {
                let reason = String(cString: strerror(errno))
                if isDamaged { rename(aside, directory) }
                throw PackError(.write, "\(directory): \(reason)")
            }
            if isDamaged { try? files.removeItem(atPath: aside) }
            return (directory, true)
        } catch {
            try? files.removeItem(atPath: draft)
            // Another packer may have been first with the same content.
            if Self.holds(directory, json, contents) { return (directory, false) }
            throw error as? PackError ?? PackError(.write, "\(directory) cannot be written: \(FileReason.of(error)); name another folder with --out")
        }
    }

    /// Whether the version is there, and all of it as it was packed: a disk, or somebody, may have changed it since.
    private static func holds(_ directory: String, _ manifest: Data, _ contents: [(name: String, bytes: [UInt8])]) -> Bool {
        let names = Set(contents.map(\.name) + [PluginManifest.fileName])
        guard PlainFile.contents("\(directory)/\(PluginManifest.fileName)") == manifest,
            let found = try? FileManager.default.contentsOfDirectory(atPath: directory), Set(found) == names
        else { return false }
        return contents.allSatisfy { PlainFile.contents("\(directory)/\($0.name)").map { [UInt8]($0) } == $0.bytes }
    }

    /// The manifest that was packed last; nil when nothing was, or nothing that this build can read.
    private static func current(of parent: String) -> PluginManifest? {
        PlainFile.contents("\(parent)/current/\(PluginManifest.fileName)")
            .flatMap { try? JSONDecoder().decode(PluginManifest.self, from: $0) }
    }

    /// Makes `<out>/<module>/current` name the version, in one step for whoever looks.
    private static func point(current parent: String, at version: String) throws {
        let (link, draft) = ("\(parent)/current", "\(parent)/.current.\(UUID().uuidString)")
        if (try? FileManager.default.destinationOfSymbolicLink(atPath: link)) == version { return }
        guard symlink(version, draft) == 0 else {
            throw PackError(.write, "\(draft): \(String(cString: strerror(errno)))")
        }
        guard rename(draft, link) == 0 else {
            let reason = String(cString: strerror(errno))
            unlink(draft)
            throw PackError(.write, "\(link): \(reason); it must be a link that the packer may replace")
        }
    }

    private static func checkPathComponent(_ text: String, of library: String) throws {
        let allowed = text.utf8.allSatisfy {
            (0x30...0x39).contains($0) || (0x41...0x5a).contains($0) || (0x61...0x7a).contains($0)
                || [0x2d, 0x2e, 0x5f, 0x2b].contains($0)
        }
        guard allowed, (1...64).contains(text.utf8.count), text.first != "." else {
            throw PackError(
                .library,
                "\(library) declares '\(text)'; an id or version has 1 to 64 of A-Z a-z 0-9 . _ - + and no dot first")
        }
    }
}

extension LibraryClosure {
    /// Interfaces and models that the image needs, directly or not, by their stems.
    fileprivate func supporting(of image: ElfImage) -> [String] {
        var seen: Set<String> = []
        var queue = image.needed
        while let file = queue.popLast() {
            guard seen.insert(file).inserted, let next = images.first(where: { URL(fileURLWithPath: $0.file).lastPathComponent == file })
            else { continue }
            queue += next.needed
        }
        return seen.map { LibraryName(file: $0) }.filter { $0.layered?.layer == .interface || $0.layered?.layer == .models }.map(\.stem).sorted()
    }
}
