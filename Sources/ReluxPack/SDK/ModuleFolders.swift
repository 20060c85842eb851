import Foundation
import ReluxLoader

/// Where the compiler's files of built modules lie.
enum ModuleFolders {
    /// `Modules` beside the library, and those of the SDK that its package depends on.
    static func beside(_ library: String) -> [String] {
        let folder = URL(fileURLWithPath: library).deletingLastPathComponent()
        return ["\(folder.path)/Modules"] + ofArtifacts(in: folder)
    }

    /// The files of one module, by name; without its documentation if there is none.
    static func files(of module: String, in folders: [String]) -> [(name: String, bytes: [UInt8])] {
        guard let folder = folders.first(where: { FileManager.default.fileExists(atPath: "\($0)/\(module).swiftmodule") }) else { return [] }
        return ["swiftmodule", "swiftdoc"].compactMap { kind in
            PlainFile.contents("\(folder)/\(module).\(kind)").map { ("\(module).\(kind)", [UInt8]($0)) }
        }
    }

    private struct State: Decodable {
        struct Object: Decodable { let artifacts: [Artifact] }
        struct Artifact: Decodable { let path: String }
        let object: Object
    }

    /// SwiftPM notes the bundles of a package in `.build/workspace-state.json`; a library lies in `.build/debug`, which is a link one folder deeper.
    private static func ofArtifacts(in folder: URL) -> [String] {
        let above = folder.resolvingSymlinksInPath().deletingLastPathComponent()
        for place in [above, above.deletingLastPathComponent()] {
            guard let data = PlainFile.contents("\(place.path)/workspace-state.json") else { continue }
            let artifacts = (try? JSONDecoder().decode(State.self, from: data))?.object.artifacts ?? []
            return artifacts.map { "\($0.path)/modules" }.filter { FileManager.default.fileExists(atPath: $0) }
        }
        return []
    }
}
