import Foundation
import Relux
@testable import ReluxCLI
import ReluxPlugin
import ReluxWire

extension Demo {
    /// A packed version without a library, current below `packed`.
    static func pack(_ module: ModuleID, _ version: String, in folder: String, contract: Contract = Contract(topics: [])) throws -> String {
        let manifest = PluginManifest(
            module: ModuleDeclaration(id: module, version: version, kind: .domain, handles: [], emits: []), library: "lib\(module)ReluxImpl.so",
            files: [], runtimeGuard: "relux_abi_0", compiler: "", target: "", imports: [], contract: contract)
        let directory = "\(folder)/packed/\(module)/\(version)-a"
        try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
        try Data(JSON.encode(manifest).utf8).write(to: URL(fileURLWithPath: "\(directory)/manifest.json"))
        try PackPublication.makeCurrent(directory)
        return URL(fileURLWithPath: directory).resolvingSymlinksInPath().path
    }
}
