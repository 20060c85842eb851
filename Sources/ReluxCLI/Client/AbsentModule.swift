import Foundation
import ReluxBus
import ReluxPlugin
import ReluxWire

extension CommandSession {
    /// Why nobody can be told of the effect now, when a module has it, or has the effects that are named nearly like it, and is packed and not loaded;
    /// nil when it belongs to no such module.
    func absentModule(of effect: String, loaded: [ModuleID]) -> CLIError? {
        guard let packed = try? location().packed else { return nil }
        for name in packedModules() where !loaded.contains(where: { $0.rawValue == name }) {
            guard let data = FileManager.default.contents(atPath: "\(packed)/\(name)/current/\(PluginManifest.fileName)"),
                let manifest = try? JSON.decode(PluginManifest.self, from: String(decoding: data, as: UTF8.self))
            else { continue }
            do throws(CLIError) {
                _ = try ContractCatalog(topics: manifest.contract.topics).target(effect)
                return CLIError(
                    .notFound, "effect.moduleNotLoaded", "\(effect) is an effect of \(manifest.module.id), which is not loaded",
                    hint: "relux module load \(manifest.module.id)")
            } catch {
                // Its own effects begin with its name.
                guard effect.hasPrefix("\(name).") else { continue }
                return CLIError(error.status, error.code, "\(error.message); \(name) is packed and not loaded", hint: error.hint)
            }
        }
        return nil
    }
}
