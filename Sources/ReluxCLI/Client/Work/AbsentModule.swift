import Foundation
import ReluxControl
import ReluxPack
import ReluxPlugin
import ReluxWire

extension CommandSession {
    /// Why nobody can be told of the effect now, when a module has it, or has the effects that are named nearly like it, and is packed and not loaded;
    /// nil when it belongs to no such module.
    func absentModule(of effect: String, _ status: ClusterStatus) -> CLIError? {
        guard let packed = try? location().packed else { return nil }
        let (names, loaded) = (packedModules(), status.modules.map(\.id))
        for name in names where !loaded.contains(where: { $0.rawValue == name }) {
            guard let data = PlainFile.contents("\(packed)/\(name)/current/\(PluginManifest.fileName)"),
                let manifest = try? JSON.decode(PluginManifest.self, from: String(decoding: data, as: UTF8.self))
            else { continue }
            do throws(CLIError) {
                _ = try ContractCatalog(topics: manifest.contract.topics).target(effect)
                if let unloaded = status.unloaded(name, packed: names) {
                    return CLIError(.notFound, "effect.moduleNotLoaded", "\(effect) is an effect of \(name), which was unloaded", hint: unloaded.hint)
                }
                return CLIError(
                    .notFound, "effect.moduleNotLoaded", "\(effect) is an effect of \(manifest.module.id), which is not loaded",
                    hint: "relux module load \(manifest.module.id)")
            } catch {
                // Its own effects begin with its name.
                guard effect.lowercased().hasPrefix("\(name.lowercased()).") else { continue }
                let why = status.unloaded(name, packed: names)?.message ?? "\(name) is packed and not loaded"
                return CLIError(error.status, error.code, "\(error.message); \(why)", hint: error.hint)
            }
        }
        // The effects of a module that is no longer packed are not known.
        return status.unloaded(String(effect.prefix { $0 != "." }), packed: names).map {
            CLIError(.notFound, "effect.moduleNotLoaded", "'\(effect)' is no effect of a module that is loaded; \($0.message)", hint: $0.hint)
        }
    }
}
