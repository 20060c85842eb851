import Foundation
import ReluxBus
import ReluxPlugin
import ReluxWire

extension CommandSession {
    /// Why nobody can be told of the effect now, when a module has it that is packed and not loaded; nil when no packed module has it.
    func absentModule(of effect: String, loaded: [ModuleID]) -> CLIError? {
        guard let packed = try? location().packed else { return nil }
        for name in packedModules() where !loaded.contains(where: { $0.rawValue == name }) {
            guard let data = FileManager.default.contents(atPath: "\(packed)/\(name)/current/\(PluginManifest.fileName)"),
                let manifest = try? JSON.decode(PluginManifest.self, from: String(decoding: data, as: UTF8.self)),
                (try? ContractCatalog(topics: manifest.contract.topics).target(effect)) != nil
            else { continue }
            return CLIError(
                .notFound, "effect.moduleNotLoaded", "\(effect) is an effect of \(manifest.module.id), which is not loaded",
                hint: "relux module load \(manifest.module.id)")
        }
        return nil
    }
}
