import Foundation

/// Checks packages: what they import, how they link, and what their sources do.
package struct Linter: Sendable {
    /// Findings name files relative to it.
    let root: String

    package init(root: String) { self.root = root.hasSuffix("/") && root != "/" ? String(root.dropLast()) : root }

    /// The packages in a folder and up to three levels below it; none in hidden folders and in those of fixtures.
    package static func packages(below folder: String) -> [String] { PackageReader.packages(below: folder) }

    /// Reads packages from the disk, and the neighbours that they depend on by path, and checks them.
    /// - Parameter folders: absolute.
    package func lint(_ folders: [String]) throws(LintError) -> LintReport {
        let (packages, context) = try PackageReader.read(folders)
        var sources: [LintSource] = []
        for (index, package) in packages.enumerated() {
            // Only the core's names are asked.
            if context.contains(index), package.isCore { continue }
            sources += try PackageReader.sources(of: package, relativeTo: root)
        }
        return check(packages, context: context, sources)
    }

    /// Checks what is given. Pure.
    package func check(_ packages: [PackageModel], context: Set<Int> = [], _ sources: [LintSource]) -> LintReport {
        var graph = ModuleGraph(packages, context: context)
        var manifests: [String: ManifestLines] = [:]
        var files: [SourceFile] = []
        var report = LintReport()
        let linted = Set(packages.indices.filter { !context.contains($0) }.map { packages[$0].folder })
        var checked: [(file: SourceFile, role: ModuleRole, package: String)] = []
        var stateful: [String: Set<String>] = [:]
        var holders: [String: ValueHolders] = [:]
        for source in sources {
            let file = SourceFile(path: source.path, text: source.text)
            guard let target = source.target else {
                if linted.contains(source.package) { manifests[source.package] = ManifestLines(file) }
                files.append(file)
                continue
            }
            graph.add(file, to: target)
            guard linted.contains(source.package), let role = graph.modules[target]?.role else { continue }
            files.append(file)
            checked.append((file, role, source.package))
            stateful[source.package, default: []].formUnion(statefulTypes(in: file))
            holders[source.package, default: ValueHolders()].add(file)
        }
        for item in checked {
            let context = SourceContext(
                file: item.file, role: item.role, statefulTypes: stateful[item.package] ?? [], holders: holders[item.package] ?? ValueHolders())
            report.findings += item.file.problems + SourceCheck.findings(context)
        }
        report.findings += LayerCheck(graph: graph, manifests: manifests).findings()
        report.findings += EmissionCheck(graph: graph).findings()
        report.findings += LinkCheck(graph: graph, manifests: manifests).findings()
        report.findings += WireCheck(targets: WireTarget.all(in: graph, sources, root: root)).findings()
        report.findings += ManifestFile.all(of: packages, context: context, sources).compactMap(\.finding)
        report.files = files.count
        report.targets = graph.inOrder.filter { !$0.isContext }.count
        for owner in graph.inOrder.compactMap(\.role.owner) { report.infrastructure[owner] = graph.infrastructure.contains(owner) }
        Silencing(files).apply(to: &report)
        return report
    }
}

/// A file of a package.
package struct LintSource: Sendable {
    /// The package's folder.
    package let package: String
    /// Its Swift module; nil for the manifest.
    package let target: String?
    /// As findings name it.
    package let path: String
    package let text: String

    package init(package: String, target: String?, path: String, text: String) {
        self.package = package
        self.target = target
        self.path = path
        self.text = text
    }
}
