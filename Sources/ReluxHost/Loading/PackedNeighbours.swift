import Glibc
package import ReluxPlugin
import ReluxWire

/// The other plugins of the tree that a plugin was packed into: `<packed>/<module>/<version>/manifest.json`.
///
/// Only the manifests of those that a library names are read: a host starts with one plugin, and many may lie beside it.
package struct PackedNeighbours: Sendable {
    /// What of a manifest says the kind.
    private struct Head: Decodable {
        struct Module: Decodable {
            var id: ModuleID
            var kind: ModuleDeclaration.Kind
        }
        var module: Module
    }

    private let root: String
    private let own: String

    /// - Parameter directory: the plugin's own; its manifest is not asked.
    package init(beside directory: String) {
        let parts = directory.split(separator: "/", omittingEmptySubsequences: false)
        root = parts.dropLast(2).joined(separator: "/")
        own = parts.count > 2 ? String(parts[parts.count - 2]) : ""
    }

    /// Declared kinds by module name, of the modules to which these files may belong; the layering rules need them to tell an
    /// infrastructure interface from a domain's.
    ///
    /// Manifests that cannot be read are passed over: their modules then count as undeclared.
    package func kinds(ofOwnersOf files: some Sequence<String>) -> [String: ModuleDeclaration.Kind] {
        guard !own.isEmpty else { return [:] }
        var names: Set<String> = []
        var all: [String]?
        for file in Set(files) where !LibraryName.isPlatform(file) {
            let library = LibraryName(file: file)
            if let layered = library.layered {
                names.insert(layered.module)
            } else {
                let modules = all ?? Self.entries(root)
                all = modules
                names.formUnion(modules.filter(library.stem.hasPrefix))
            }
        }
        var kinds: [String: ModuleDeclaration.Kind] = [:]
        for name in names where name != own && !name.hasPrefix(".") && !name.utf8.contains(UInt8(ascii: "/")) {
            guard let module = module(named: name) else { continue }
            kinds[module.id.rawValue] = module.kind
        }
        return kinds
    }

    /// As the version says that is in use; where none is, the last of those that there are.
    private func module(named name: String) -> Head.Module? {
        let folder = "\(root)/\(name)"
        if let current = Self.module(in: "\(folder)/current") { return current }
        return Self.entries(folder).reversed().lazy.compactMap { Self.module(in: "\(folder)/\($0)") }.first
    }

    private static func module(in directory: String) -> Head.Module? {
        guard let bytes = try? readFile("\(directory)/\(PluginManifest.fileName)") else { return nil }
        return try? JSON.decode(Head.self, from: String(decoding: bytes, as: UTF8.self)).module
    }

    private static func entries(_ path: String) -> [String] {
        ((try? directoryEntries(path)) ?? []).filter { !$0.hasPrefix(".") }
    }
}
