import Glibc
package import ReluxPlugin
import ReluxWire

/// The other plugins of the tree that a plugin was packed into: `<packed>/<module>/<version>/manifest.json`.
package enum PackedNeighbours {
    /// Declared kinds by module name; the layering rules need them to tell an infrastructure interface from a domain's.
    ///
    /// Manifests that cannot be read are passed over: their modules then count as undeclared. The plugin's own manifest is not asked.
    package static func kinds(beside directory: String) -> [String: ModuleDeclaration.Kind] {
        let parts = directory.split(separator: "/", omittingEmptySubsequences: false)
        guard parts.count > 2 else { return [:] }
        let root = parts.dropLast(2).joined(separator: "/")
        let own = String(parts[parts.count - 2])
        var kinds: [String: ModuleDeclaration.Kind] = [:]
        for module in entries(root) where module != own {
            for version in entries("\(root)/\(module)") {
                guard let bytes = try? readFile("\(root)/\(module)/\(version)/\(PluginManifest.fileName)"),
                    let manifest = try? JSON.decode(PluginManifest.self, from: String(decoding: bytes, as: UTF8.self))
                else { continue }
                kinds[manifest.module.id.rawValue] = manifest.module.kind
            }
        }
        return kinds
    }

    private static func entries(_ path: String) -> [String] {
        ((try? directoryEntries(path)) ?? []).filter { !$0.hasPrefix(".") }
    }
}
