import Foundation
import ReluxPlugin

/// A packed directory whose files are not those that were packed: a disk, or somebody, has changed them. Hosts compare contents, too.
enum DamagedPlugin {
    static let remedy = "build and pack the same version again: relux module pack LIBRARY"

    /// The first fault, by the files' sizes, as in `libAuthModels.so is not there`; nil when there is none.
    static func fault(of directory: String, _ manifest: PluginManifest) -> String? {
        for file in manifest.files {
            guard let facts = try? FileManager.default.attributesOfItem(atPath: "\(directory)/\(file.name)") else { return "\(file.name) is not there" }
            guard facts[.type] as? FileAttributeType == .typeRegular else { return "\(file.name) is no regular file" }
            let size = (facts[.size] as? NSNumber)?.uint64Value ?? 0
            if size != file.size { return "\(file.name) has \(size) bytes, and was packed with \(file.size)" }
        }
        return nil
    }
}
