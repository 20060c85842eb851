import Foundation

/// All files that `relux generate` writes in packages.
package struct GeneratedFiles: Sendable {
    package let coders: [WireTarget]
    package let manifests: [ManifestFile]
}

extension Linter {
    /// - Parameters:
    ///   - folders: of packages; absolute.
    ///   - existing: only files of coders that are there. Packages without any, and with a manifest of their own, are not even read.
    package func generated(_ folders: [String], existing: Bool = false) throws(LintError) -> GeneratedFiles {
        if existing, !folders.contains(where: { PackageReader.hasCoders($0) || Self.givesDependenciesAway($0) }) {
            return GeneratedFiles(coders: [], manifests: [])
        }
        let (packages, context) = try PackageReader.read(folders)
        var sources: [LintSource] = []
        for (index, package) in packages.enumerated() where !context.contains(index) {
            sources += try PackageReader.sources(of: package, relativeTo: root)
        }
        let targets = WireTarget.all(in: ModuleGraph(packages, context: context), sources, root: root)
        let given = folders.filter(Self.givesDependenciesAway)
        let beside = try given.isEmpty ? [] : neighbours(of: given, packages, sources.filter { given.contains($0.package) })
        return GeneratedFiles(
            coders: existing ? targets.filter { $0.written != nil } : targets,
            manifests: ManifestFile.all(
                of: packages + beside, context: context.union(packages.count..<packages.count + beside.count), sources))
    }

    /// Packages beside these that they import, and that their manifests do not name yet.
    private func neighbours(of folders: [String], _ packages: [PackageModel], _ sources: [LintSource]) throws(LintError) -> [PackageModel] {
        let known = Set(packages.map(\.folder))
        let imports = Set(sources.filter { $0.target != nil }.flatMap { SourceFile(path: $0.path, text: $0.text).imports.map(\.module) })
        let domains = ManifestPlan.unknown(imports, among: packages)
        let places = Set(folders.map { URL(fileURLWithPath: $0).deletingLastPathComponent().path })
        let named = places.flatMap { place in domains.flatMap { ["\(place)/\($0)", "\(place)/\($0)Interfaces"] } }
        let found = named.filter { !known.contains($0) && FileManager.default.fileExists(atPath: "\($0)/Package.swift") }.sorted()
        return found.isEmpty ? [] : try PackageReader.read(found).packages.filter { !known.contains($0.folder) }
    }

    private static func givesDependenciesAway(_ folder: String) -> Bool {
        FileManager.default.contents(atPath: "\(folder)/Package.swift").map { ManifestText.isGiven(String(decoding: $0, as: UTF8.self)) } ?? false
    }
}
