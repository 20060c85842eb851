import Foundation

extension Linter {
    /// Reads packages as ``lint(_:)`` does, and what lies around them, and goes through the seeds' checklists.
    /// - Parameter named: folders, absolute. One package of a domain in two is enough, if the other lies beside it.
    /// - Throws: as ``lint(_:)``; `checklist.nothing` when no package is a domain's, an orchestrator's or a user interface's.
    package func checklists(_ named: [String]) throws(LintError) -> [Checklist] {
        // Half of a domain has half of its list: the other one is looked at with it.
        let halves = named.compactMap(DomainHalf.init)
        let folders = named + Set(halves.filter(\.hasOther).map(\.other)).subtracting(named).sorted()
        var around = Neighbourhood(beside: folders)
        for half in halves where !half.hasOther { around.missing[half.domain] = half.other }
        let (packages, context) = try PackageReader.read(folders)
        var sources: [LintSource] = []
        for package in packages where !package.isCore { sources += try PackageReader.sources(of: package, relativeTo: root) }
        let lists = checklists(packages, context: context, sources, around: around) { path in
            FileManager.default.contents(atPath: path).map { String(decoding: $0, as: UTF8.self) }
        }
        guard !lists.isEmpty else {
            throw LintError(
                "checklist.nothing", "no package in \(folders.joined(separator: ", ")) is a domain's, an orchestrator's or a user interface's",
                hint: "make one: relux new domain NAME", status: 2)
        }
        return lists
    }

    /// The checklists of what is given. Pure, but for the contracts, which are asked by their path.
    package func checklists(
        _ packages: [PackageModel], context: Set<Int> = [], _ sources: [LintSource], around: Neighbourhood, read: (String) -> String?
    ) -> [Checklist] {
        var graph = ModuleGraph(packages, context: context)
        var survey = SourceSurvey()
        let cores = Set(packages.filter(\.isCore).map(\.folder))
        for source in sources where !cores.contains(source.package) {
            guard let target = source.target else { continue }
            let file = SourceFile(path: source.path, text: source.text)
            graph.add(file, to: target)
            survey.add(file, source.text, target: target)
        }
        let findings = check(packages, context: context, sources.filter { !cores.contains($0.package) }).findings
        return withoutActuallyEscaping(read) { read in
            ChecklistInspector(packages: packages, graph: graph, survey: survey, findings: findings, around: around, read: read).lists()
        }
    }
}

extension Neighbourhood {
    /// The neighbourhood beside the packages' folders; of a domain in two packages, beside the folder that has both.
    package init(beside folders: [String]) {
        self.init()
        let manager = FileManager.default
        for parent in Set(folders.map(Self.parent)).sorted() {
            let entries = ((try? manager.contentsOfDirectory(atPath: parent)) ?? []).filter { !$0.hasPrefix(".") }.sorted()
            self.folders.formUnion(entries)
            for entry in entries where entry.hasSuffix("Orchestration") {
                for module in Self.imports(below: "\(parent)/\(entry)/Sources") { listeners[module, default: []].append(entry) }
            }
            for entry in entries { addCluster("\(parent)/\(entry)/cluster.yaml", as: "\(entry)/cluster.yaml") }
            addCluster("\(parent)/cluster.yaml", as: "cluster.yaml")
            let deploy = URL(fileURLWithPath: parent).deletingLastPathComponent().path + "/deploy"
            for file in ((try? manager.contentsOfDirectory(atPath: deploy)) ?? []) where file.hasSuffix(".yaml") {
                addCluster("\(deploy)/\(file)", as: "deploy/\(file)")
            }
        }
    }

    private static func parent(of folder: String) -> String {
        let above = URL(fileURLWithPath: folder).deletingLastPathComponent()
        let isPart = DomainHalf(folder)?.domain == above.lastPathComponent
        return (isPart ? above.deletingLastPathComponent() : above).path
    }

    /// Modules that are imported: a line is enough, for who looks on has parsed nothing of it.
    private static func imports(below folder: String) -> [String] {
        guard let walk = FileManager.default.enumerator(atPath: folder) else { return [] }
        var found: Set<String> = []
        for case let path as String in walk where path.hasSuffix(".swift") {
            guard let bytes = FileManager.default.contents(atPath: "\(folder)/\(path)") else { continue }
            for line in String(decoding: bytes, as: UTF8.self).split(separator: "\n") {
                let words = line.split(separator: " ")
                if words.count > 1, words[words.count - 2] == "import", !line.hasPrefix("//") { found.insert(String(words[words.count - 1])) }
            }
        }
        return found.sorted()
    }

    /// Adds the modules that a cluster's file runs: `- module: NAME`, and `- path: PACKED/NAME/VERSION`.
    private mutating func addCluster(_ path: String, as name: String) {
        guard let bytes = FileManager.default.contents(atPath: path) else { return }
        let modules = String(decoding: bytes, as: UTF8.self).split(separator: "\n").compactMap { line -> String? in
            let words = line.split(separator: " ").map { $0.trimmingCharacters(in: ["\"", "'", ","]) }
            guard words.count > 2, words[0] == "-" else { return nil }
            if words[1] == "module:" { return words[2] }
            let parts = words[2].split(separator: "/")
            return words[1] == "path:" && parts.count > 1 ? String(parts[parts.count - 2]) : nil
        }
        clusters[name, default: []] += modules
    }
}
