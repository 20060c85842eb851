import Foundation
import ReluxLayers

/// A manifest whose dependencies `relux generate` writes, and what it should be.
package struct ManifestFile: Sendable {
    /// A manifest with these words in a comment gives its dependencies away.
    package static var mark: String { ManifestText.mark }

    /// As findings name it.
    package let path: String
    package let written: String
    package let text: String
    /// Where a source of the package does not parse, so that its imports are not to be relied on; nil when all do.
    package let problem: Finding?

    package var isStale: Bool { written != text }

    var finding: Finding? {
        guard isStale, problem == nil else { return nil }
        return Finding(.staleWire, Place(file: path, line: 1, column: 1), "its dependencies are not those that the sources import")
    }

    /// The manifests of the packages that give their dependencies away.
    static func all(of packages: [PackageModel], context: Set<Int>, _ sources: [LintSource]) -> [ManifestFile] {
        packages.indices.filter { !context.contains($0) && !packages[$0].isCore }.compactMap { index -> ManifestFile? in
            let package = packages[index]
            let own = sources.filter { $0.package == package.folder }
            guard let manifest = own.first(where: { $0.target == nil }), ManifestText.isGiven(manifest.text) else { return nil }
            var imports: [String: Set<String>] = [:]
            var problem: Finding?
            for source in own {
                guard let target = source.target else { continue }
                let file = SourceFile(path: source.path, text: source.text)
                problem = problem ?? file.problems.first
                imports[target, default: []].formUnion(file.imports.map(\.module))
            }
            let plan = ManifestPlan(package, among: packages, imports: imports)
            let text = ManifestText.rewritten(manifest.text, package, plan) { relative($0, to: package.folder) }
            return ManifestFile(path: manifest.path, written: manifest.text, text: text, problem: problem)
        }
    }

    private static func relative(_ folder: String, to base: String) -> String {
        let (there, here) = (folder.split(separator: "/"), base.split(separator: "/"))
        let shared = zip(there, here).prefix { $0 == $1 }.count
        return (Array(repeating: "..", count: here.count - shared) + there.dropFirst(shared).map(String.init)).joined(separator: "/")
    }
}
