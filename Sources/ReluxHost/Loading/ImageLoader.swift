import ReluxPlugin
import ReluxWire
import Synchronization

/// Loads verified plugins into this process; a process has one.
///
/// It remembers what is loaded, because glibc knows an image by its bare file name: a second version of `libAuthModels.so`
/// would be the first one in silence.
package final class ImageLoader: Sendable {
    private struct Loaded {
        /// sha256 by file name.
        var files: [String: String] = [:]
        var modules: Set<ModuleID> = []
    }

    private let loaded = Mutex(Loaded())

    package init() {}

    /// Opens the plugin's library and takes its box over. Loads come one after the other.
    ///
    /// A failure behind the opening leaves the image in the process, idle; its names stay taken.
    /// - Throws: `loader.otherVersion`, `loader.moduleTwice`, `loader.platform`, `loader.open`, `loader.entry`,
    ///   `loader.coreCopy`, `loader.declaration`.
    package func load(_ plugin: VerifiedPlugin) throws(LoaderError) -> LoadedPlugin {
        try loaded.withLock { loaded throws(LoaderError) in
            let manifest = plugin.manifest
            guard !loaded.modules.contains(manifest.module.id) else {
                throw LoaderError(
                    .moduleTwice, offender: plugin.directory,
                    "module \(manifest.module.id) is loaded in this process already",
                    remedy: "new code means a new process: restart the module's host")
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
            loaded.modules.insert(manifest.module.id)
            return LoadedPlugin(verified: plugin, box: box)
        }
    }
}
