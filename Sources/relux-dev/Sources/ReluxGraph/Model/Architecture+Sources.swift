import Foundation
package import ReluxLint

extension Architecture {
    /// The architecture of packages, from their manifests and imports, the plugins' declarations, and the contracts beside the interfaces.
    package init(sources packages: [PackageFacts]) {
        var draft = ArchitectureDraft()
        let names = Dictionary(packages.flatMap { package in package.folders.map { ($0, package.id) } }, uniquingKeysWith: { first, _ in first })
        for package in packages {
            let interface = package.interface.map { name in
                Self.interface(name, of: package, notes: &draft.notes)
            }
            let imports = package.imports.compactMap { item in names[item.folder].map { (library: item.module, owner: $0) } }
            if package.declared.isEmpty, !package.isContext {
                draft.notes.append(
                    "\(package.name) declares no module, so its topics are not known; make its module's struct a Relux.Plugin")
            }
            for declared in package.declared.isEmpty ? [package.undeclared] : package.declared {
                let isOwner = declared.id == package.id
                draft.modules.append(
                    .init(declared: declared, interface: isOwner ? interface : nil, imports: imports, isContext: package.isContext))
            }
        }
        self = draft.finished()
    }

    private static func interface(_ name: String, of package: PackageFacts, notes: inout [String]) -> Interface {
        guard let text = package.contract else {
            if !package.isContext {
                notes.append("\(name) has no contract beside it, so its cases are not known; write it: relux module pack … --write-contract")
            }
            return Interface(name: name, effects: [], snapshots: [])
        }
        guard let contract = try? JSONDecoder().decode(WrittenContract.self, from: Data(text.utf8)) else {
            notes.append("the contract beside \(name) is of another format; write it again: relux module pack … --write-contract")
            return Interface(name: name, effects: [], snapshots: [])
        }
        return Interface(
            name: name,
            effects: contract.topics.map { Effect(topic: $0.topic, cases: $0.cases.map(\.name).filter { !$0.isEmpty }) }
                .sorted { $0.topic < $1.topic },
            snapshots: contract.snapshots.map(\.topic).sorted())
    }
}

/// The part of a contract's file that a picture needs.
private struct WrittenContract: Decodable {
    struct Topic: Decodable {
        struct Case: Decodable { let name: String }
        let topic: String
        let cases: [Case]
    }
    struct Snapshot: Decodable { let topic: String }
    let topics: [Topic]
    let snapshots: [Snapshot]
}

extension PackageFacts {
    /// The module that its interface is of.
    fileprivate var id: String {
        if let owner, declared.contains(where: { $0.id == owner }) { return owner }
        return declared.first?.id ?? owner ?? name
    }

    fileprivate var undeclared: DeclaredModule {
        DeclaredModule(id: id, version: "", kind: owner != nil && !hasOrchestrator ? .domain : .orchestrator)
    }
}
