import Foundation
import ReluxControl
import ReluxPack
import ReluxPlugin
import ReluxSupervisor
import ReluxWire

/// A packed directory that holds another module than its folder says: a link that was set wrongly.
enum MisplacedPlugin {
    static let remedy = "pack the module again, or set the link right"

    /// In words; nil when it is as it should be, and for directories elsewhere.
    static func fault(of directory: String, in packed: String) -> String? {
        guard directory.hasPrefix(packed + "/"), let name = directory.dropFirst(packed.count + 1).split(separator: "/").first.map(String.init),
            let data = PlainFile.contents("\(directory)/\(PluginManifest.fileName)"),
            let manifest = try? JSON.decode(PluginManifest.self, from: String(decoding: data, as: UTF8.self)), manifest.module.id.rawValue != name
        else { return nil }
        return "\(directory) holds \(manifest.module.id), not \(name)"
    }

    /// - Throws: `notFound` naming those of the cluster's file.
    static func refuse(_ configuration: ClusterConfiguration) throws(CLIError) {
        let faults = configuration.hosts.flatMap(\.plugins).compactMap { fault(of: $0, in: configuration.packed) }
        guard !faults.isEmpty else { return }
        throw CLIError(.notFound, "module.misplaced", faults.joined(separator: "; "), hint: remedy)
    }
}
