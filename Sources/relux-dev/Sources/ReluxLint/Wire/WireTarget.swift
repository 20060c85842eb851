import Foundation
package import ReluxGenerate
import ReluxLayers

/// A target that may have a file of generated coders, and what that should be.
package struct WireTarget: Sendable {
    /// As findings name it.
    package let path: String
    /// The text that is there; nil when none is.
    package let written: String?
    package let file: WireFile
    private let sources: [LintSource]

    /// The text that is there is not what it should be.
    package var isStale: Bool { written != file.text }

    /// Where the first of its sources does not parse, so that ``file`` is not to be relied on; nil when all do.
    package var problem: Finding? { sources.lazy.flatMap { SourceFile(path: $0.path, text: $0.text).problems }.first }

    /// The targets of domains' interfaces and of orchestrators, and any other that has such a file already, even an empty one.
    /// - Parameter root: paths are relative to it.
    static func all(in graph: ModuleGraph, _ sources: [LintSource], root: String) -> [WireTarget] {
        let byTarget = Dictionary(grouping: sources) { $0.target ?? "" }
        return graph.inOrder.filter { !$0.isContext }.compactMap { module in
            let own = byTarget[module.name] ?? []
            let written = own.first { $0.path.hasSuffix(WireFile.suffix) }
            let stem: String
            var used = own
            switch module.role {
            case .layer(.interface, let domain):
                stem = domain
                used += byTarget[domain + Layer.models.rawValue] ?? []
            case .orchestrator(let name): stem = name
            default:
                guard written != nil else { return nil }
                stem = module.name
            }
            used.removeAll { $0.path.hasSuffix(WireFile.suffix) }
            let folder = "\(graph.packages[module.package].folder)/\(module.target.folder)"
            let path = "\(folder)/\(stem)\(WireFile.suffix)"
            return WireTarget(
                path: written?.path ?? (path.hasPrefix(root + "/") ? String(path.dropFirst(root.utf8.count + 1)) : path), written: written?.text,
                file: WireFile(module: module.name, used.map { ModuleSource(module: $0.target ?? "", text: $0.text) }), sources: used)
        }
    }
}

/// Generated coders are those of the types that are there. A target without them is left alone: `Codable` says the same bytes.
struct WireCheck {
    let targets: [WireTarget]

    func findings() -> [Finding] {
        targets.filter { $0.written != nil && $0.isStale }.map { target in
            let what = target.file.text == nil ? "no effect and no snapshot is left that it could code" : "it is not what the types say"
            return Finding(.staleWire, Place(file: target.path, line: 1, column: 1), what)
        }
    }
}
