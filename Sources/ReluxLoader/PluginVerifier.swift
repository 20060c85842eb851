import Relux
package import ReluxControl
import ReluxLayers
package import ReluxPlugin
import ReluxWire

/// A plugin whose directory has passed every check that can be made without running any of it.
package struct VerifiedPlugin: Sendable {
    package let directory: String
    package let manifest: PluginManifest
    /// Interfaces of others that its own libraries really need, for example `AuthReluxInt`; sorted.
    package let imports: [String]
    /// Platform libraries that its libraries need, by file name; sorted.
    package let platform: [String]

    package init(directory: String, manifest: PluginManifest, imports: [String], platform: [String]) {
        self.directory = directory
        self.manifest = manifest
        self.imports = imports
        self.platform = platform
    }

    package var libraryPath: String { "\(directory)/\(manifest.library)" }
}

/// Checks a packed plugin's directory: manifest, files, hashes, ELF, guard, layering.
package struct PluginVerifier: Sendable {
    /// Guard symbol of the running host.
    private let runtimeGuard: String
    /// Declared kinds by module name; the plugin's own is not needed.
    private let kinds: [String: ModuleDeclaration.Kind]

    package init(kinds: [String: ModuleDeclaration.Kind] = [:], runtimeGuard: String = reluxRuntimeGuard) {
        self.runtimeGuard = runtimeGuard
        self.kinds = kinds
    }

    /// - Parameter kinds: what the broker says of the modules there are; nil where nobody has said anything yet.
    package init(told kinds: ModuleKinds?) {
        self.init(kinds: kinds?.byName ?? [:])
    }

    /// Links such as `current` are followed once, so that all files are of one version whatever they point at later.
    ///
    /// - Parameter onPlatform: told of the platform libraries that are needed, when all files are whole and made for this runtime; the other
    ///   checks go on meanwhile.
    /// - Throws: the first broken rule, in the order hashes, ELF, guard, copies, layering.
    package func verify(directory named: String, onPlatform: ([String]) -> Void = { _ in }) throws(LoaderError) -> VerifiedPlugin {
        let directory = realPath(named) ?? named
        let manifest = try readManifest(directory)
        var images: [ElfImage] = []
        var platform: Set<String> = []
        for file in manifest.files {
            let bytes = try checkContents(of: file, in: directory)
            guard Self.isLibrary(file.name) else { continue }
            let image = try ElfImage(bytes: bytes, file: "\(directory)/\(file.name)")
            images.append(image)
            platform.formUnion(image.needed.filter(LibraryName.isPlatform))
        }
        try checkNothingUnlisted(manifest, in: directory)
        for image in images {
            try GuardRules.check(
                image, expected: runtimeGuard, isEntry: image.file == "\(directory)/\(manifest.library)")
        }
        onPlatform(platform.sorted())
        try CopyRules.check(images)
        let rules = LinkRules(module: manifest.module.id.rawValue, kind: manifest.module.kind, kinds: kinds)
        try checkLayers(images, rules)
        return VerifiedPlugin(
            directory: directory, manifest: manifest, imports: try Self.imports(of: images, rules),
            platform: platform.sorted())
    }

    private func readManifest(_ directory: String) throws(LoaderError) -> PluginManifest {
        let path = "\(directory)/\(PluginManifest.fileName)"
        let bytes = try readFile(path)
        let manifest: PluginManifest
        do { manifest = try JSON.decode(PluginManifest.self, from: String(decoding: bytes, as: UTF8.self)) } catch {
            throw LoaderError(
                .manifest, offender: path, "it is not a plugin manifest: \(error)", remedy: "pack the module again")
        }
        guard manifest.format == PluginManifest.currentFormat else {
            throw LoaderError(
                .format, offender: path, "format \(manifest.format), this host reads \(PluginManifest.currentFormat)",
                remedy: "pack the module with this host's relux")
        }
        guard manifest.files.contains(where: { $0.name == manifest.library }), Self.isLibrary(manifest.library) else {
            throw LoaderError(
                .manifest, offender: path, "its library \(manifest.library) is not among its files",
                remedy: "pack the module again")
        }
        return manifest
    }

    private func checkContents(of file: PluginManifest.File, in directory: String) throws(LoaderError) -> [UInt8] {
        guard !file.name.isEmpty, file.name != ".", file.name != "..", !file.name.utf8.contains(0x2f),
            !file.name.utf8.contains(0)
        else {
            throw LoaderError(
                .fileName, offender: directory, "the manifest lists '\(file.name)', which is no name of a file inside",
                remedy: "pack the module again")
        }
        let path = "\(directory)/\(file.name)"
        let bytes: [UInt8]
        do throws(LoaderError) { bytes = try readFile(path) } catch {
            throw LoaderError(.missing, offender: path, "it is listed, but \(error.message)", remedy: "pack it again")
        }
        guard UInt64(bytes.count) == file.size else {
            // A library that lost its tail says so itself, and better.
            if Self.isLibrary(file.name) { _ = try ElfImage(bytes: bytes, file: path) }
            throw LoaderError(
                .size, offender: path, "it has \(bytes.count) bytes, the manifest says \(file.size)",
                remedy: "pack it again; a packed version is never changed in place")
        }
        let digest = sha256(bytes)
        guard digest == file.sha256 else {
            throw LoaderError(
                .hash, offender: path, "its sha256 is \(digest), the manifest says \(file.sha256)",
                remedy: "pack it again; a packed version is never changed in place")
        }
        return bytes
    }

    private func checkNothingUnlisted(_ manifest: PluginManifest, in directory: String) throws(LoaderError) {
        let listed = Set(manifest.files.map(\.name))
        for name in try directoryEntries(directory) where Self.isLibrary(name) && !listed.contains(name) {
            throw LoaderError(
                .unlisted, offender: "\(directory)/\(name)", "a library that the manifest does not list",
                remedy: "pack the module again instead of adding files")
        }
    }

    private func checkLayers(_ images: [ElfImage], _ rules: LinkRules) throws(LoaderError) {
        for image in images {
            let file = Self.name(of: image)
            for needed in image.needed { try rules.check(file: file, needs: needed) }
        }
        for image in images { try rules.check(carries: Self.name(of: image)) }
    }

    private static func imports(of images: [ElfImage], _ rules: LinkRules) throws(LoaderError) -> [String] {
        var imports: Set<String> = []
        for image in images where try rules.owner(of: name(of: image)) == rules.module {
            for needed in image.needed where try rules.owner(of: needed) != rules.module {
                if let interface = LibraryName(file: needed).imported { imports.insert(interface) }
            }
        }
        return imports.sorted()
    }

    static func name(of image: ElfImage) -> String {
        image.file.split(separator: "/").last.map(String.init) ?? image.file
    }

    static func isLibrary(_ name: String) -> Bool { name.hasSuffix(".so") || name.contains(".so.") }
}
