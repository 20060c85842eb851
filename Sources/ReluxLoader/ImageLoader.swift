import ReluxPlugin
package import ReluxWire
import Synchronization

/// Loads verified plugins into this process; a process has one.
///
/// It remembers what is loaded, because glibc knows an image by its bare file name: a second version of `libAuthModels.so`
/// would be the first one in silence.
package final class ImageLoader: Sendable {
    private struct Loaded {
        /// sha256 by file name.
        var files: [String: String] = [:]
        /// The manifest and the box of each module that was loaded; its image stays, whether the module is in use or not.
        var modules: [ModuleID: (manifest: PluginManifest, box: PluginBox)] = [:]
        var inUse: Set<ModuleID> = []
    }

    private let loaded = Mutex(Loaded())

    package init() {}

    /// Opens the plugin's library and takes its box over. Loads come one after the other.
    ///
    /// A failure behind the opening leaves the image in the process, idle; its names stay taken. The idle image of a
    /// released module is used again when every file has the same digest.
    /// - Throws: `loader.otherVersion`, `loader.moduleTwice`, `loader.platform`, `loader.open`, `loader.entry`,
    ///   `loader.coreCopy`, `loader.topic`, `loader.schedule`, `loader.declaration`.
    package func load(_ plugin: VerifiedPlugin) throws(LoaderError) -> LoadedPlugin {
        try loaded.withLock { loaded throws(LoaderError) in
            let manifest = plugin.manifest
            let id = manifest.module.id
            guard !loaded.inUse.contains(id) else {
                throw LoaderError(
                    .moduleTwice, offender: plugin.directory, "module \(id) is loaded in this process already",
                    remedy: "new code means a new process: restart the module's host")
            }
            if let idle = loaded.modules[id] {
                guard Set(idle.manifest.files) == Set(manifest.files), idle.manifest.module == manifest.module else {
                    throw LoaderError(
                        .otherVersion, offender: plugin.directory,
                        "this process has loaded another version of module \(id), and an image is never unloaded",
                        remedy: "new code means a new process: restart the module's host, or load it into another")
                }
                loaded.inUse.insert(id)
                return LoadedPlugin(verified: plugin, box: idle.box)
            }
            for file in manifest.files {
                guard let digest = loaded.files[file.name], digest != file.sha256 else { continue }
                throw LoaderError(
                    .otherVersion, offender: "\(plugin.directory)/\(file.name)",
                    "this process has loaded another version of it (sha256 \(digest.prefix(8)),"
                        + " here \(file.sha256.prefix(8)))",
                    remedy: "run it in a host of its own, or pack both modules from one build and restart this host")
            }
            for name in plugin.platform { try Image.openPlatform(name, for: plugin.libraryPath) }
            for file in manifest.files { loaded.files[file.name] = file.sha256 }
            let box = try Image.open(plugin.libraryPath)
            guard box.declaration == manifest.module else {
                throw LoaderError(
                    .declaration, offender: plugin.libraryPath,
                    "it declares \(box.declaration), the manifest says \(manifest.module)",
                    remedy: "pack the module again instead of editing the manifest")
            }
            loaded.modules[id] = (manifest, box)
            loaded.inUse.insert(id)
            return LoadedPlugin(verified: plugin, box: box)
        }
    }

    /// The module has left: its image stays, idle, and it may be loaded again.
    package func release(_ module: ModuleID) { loaded.withLock { _ = $0.inUse.remove(module) } }
}
