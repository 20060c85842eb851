import Foundation
import ReluxLayers

/// A package's part in the architecture: the modules that it declares, its interface, and what it imports of others.
package struct PackageFacts: Sendable {
    /// A library of another package.
    package struct Import: Hashable, Sendable {
        /// For example `AuthReluxInt`.
        package let module: String
        /// The package's folder.
        package let folder: String
    }

    package let name: String
    package let folder: String
    /// Every folder of the domain's: that one, and the other of two packages.
    package let folders: [String]
    /// It was not asked for, but something that was depends on it.
    package let isContext: Bool
    /// The domain or orchestrator whose libraries it has; nil for a user interface alone.
    package let owner: String?
    package let hasOrchestrator: Bool
    package let declared: [DeclaredModule]
    /// The library that others import, such as `AuthReluxInt`.
    package let interface: String?
    /// The text of the contract beside the interface, or beside the orchestrator; nil if there is none.
    package let contract: String?
    /// Sorted by module; none of tests and of test support.
    package let imports: [Import]
}

extension Linter {
    /// Reads packages, and those that they depend on by path, as ``lint(_:)`` does. What is no plugin's is left out.
    /// - Parameter folders: absolute.
    package func facts(_ folders: [String]) throws(LintError) -> [PackageFacts] {
        let (packages, context) = try PackageReader.read(folders)
        var sources: [LintSource] = []
        for package in packages where !package.isCore { sources += try PackageReader.sources(of: package, relativeTo: root) }
        return facts(packages, context: context, sources) { path in
            FileManager.default.contents(atPath: path).map { String(decoding: $0, as: UTF8.self) }
        }
    }

    /// The facts of what is given. Pure, but for the contracts, which are asked by their path.
    package func facts(
        _ packages: [PackageModel], context: Set<Int> = [], _ sources: [LintSource], contract read: (String) -> String?
    ) -> [PackageFacts] {
        var graph = ModuleGraph(packages, context: context)
        // Nobody asks what the core declares, and there is much of it.
        let cores = Set(packages.filter(\.isCore).map(\.folder))
        for source in sources where !cores.contains(source.package) {
            if let target = source.target { graph.add(SourceFile(path: source.path, text: source.text), to: target) }
        }
        return PackageFacts.joined(packages.indices.compactMap { index -> PackageFacts? in
            let package = packages[index]
            let modules = graph.inOrder.filter { $0.package == index && $0.role.isShipped }
            let declared = modules.flatMap { $0.files.flatMap { declaredModules(in: $0) } }
            guard !package.isCore, !declared.isEmpty || modules.contains(where: { $0.role.isPlugin }) else { return nil }
            let interface = modules.first { if case .layer(.interface, _) = $0.role { true } else { false } }
            let orchestrator = modules.first { if case .orchestrator = $0.role { true } else { false } }
            let home = interface ?? orchestrator
            let owner = home?.role.owner ?? modules.lazy.compactMap { $0.role.isView ? nil : $0.role.owner }.first
            let contract = home.flatMap { home in owner.flatMap { read("\(package.folder)/\(home.target.folder)/\($0).contract.json") } }
            let used = modules.flatMap { graph.links(of: $0) }.compactMap { graph.modules[$0] }
            let imports = used.filter { $0.package != index && !packages[$0.package].isCore && $0.role.isPlugin }
                .map { PackageFacts.Import(module: $0.name, folder: packages[$0.package].folder) }
            return PackageFacts(
                name: package.name, folder: package.folder, folders: [package.folder], isContext: context.contains(index), owner: owner,
                hasOrchestrator: orchestrator != nil, declared: declared, interface: interface?.name, contract: contract,
                imports: Set(imports).sorted { $0.module < $1.module })
        })
    }
}

extension PackageFacts {
    /// The packages of one domain as one, at the place of the first: of one that is in two, one has the interface and the other the module.
    fileprivate static func joined(_ all: [PackageFacts]) -> [PackageFacts] {
        var found: [PackageFacts] = []
        for facts in all {
            if let owner = facts.owner, let index = found.firstIndex(where: { $0.owner == owner }) {
                found[index] = found[index].with(facts)
            } else {
                found.append(facts)
            }
        }
        return found
    }

    private func with(_ other: PackageFacts) -> PackageFacts {
        let main = declared.isEmpty && !other.declared.isEmpty ? other : self
        let folders = folders + other.folders
        return PackageFacts(
            name: main.name, folder: main.folder, folders: folders, isContext: isContext && other.isContext, owner: owner,
            hasOrchestrator: hasOrchestrator || other.hasOrchestrator, declared: declared + other.declared,
            interface: interface ?? other.interface, contract: contract ?? other.contract,
            imports: Set(imports + other.imports).filter { !folders.contains($0.folder) }.sorted { $0.module < $1.module })
    }
}

extension ModuleRole {
    /// It runs in a cluster, or beside one.
    fileprivate var isShipped: Bool {
        switch self {
        case .tests, .core, .layer(.testSupport, _): false
        default: true
        }
    }

    /// A library of a plugin.
    fileprivate var isPlugin: Bool {
        switch self {
        case .layer(let layer, _): layer != .testSupport
        case .orchestrator, .part: true
        default: false
        }
    }

    fileprivate var isView: Bool {
        if case .layer(let layer, _) = self { layer.isView } else { false }
    }
}
