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

    /// A folder that is an SDK, with nothing in it.
    static func writeSDK(_ folder: String) throws {
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        let note = #"{"schema": "relux.sdk/1", "version": "0.9.0", "runtimeGuard": "relux_abi_0", "compiler": "Swift 6", "target": "x86_64-unknown-linux-gnu"}"#
        try Data(note.utf8).write(to: URL(fileURLWithPath: "\(folder)/sdk.json"))
    }
}
