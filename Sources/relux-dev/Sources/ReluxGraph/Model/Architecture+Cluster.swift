package import Foundation
package import ReluxLint

extension Architecture {
    /// The architecture of a running cluster, from the answer of `relux status --json`.
    /// - Throws: `graph.status` for anything else.
    package init(status: Data) throws(LintError) {
        let answer: Status
        do { answer = try JSONDecoder().decode(Status.self, from: status) } catch {
            throw LintError(
                "graph.status", "this is no answer of relux status --json: \(error)", hint: "use the relux of the same checkout")
        }
        guard answer.schema == "relux.status/1" else {
            throw LintError(
                "graph.status", "the answer of relux status is of schema '\(answer.schema)', not relux.status/1",
                hint: "use the relux of the same checkout")
        }
        var draft = ArchitectureDraft()
        let interfaces = Self.interfaces(of: answer.modules)
        for module in answer.modules {
            guard let kind = DeclaredModule.Kind(rawValue: module.kind) else {
                draft.notes.append("\(module.id) has not said yet what it is (\(module.state))")
                continue
            }
            draft.modules.append(
                .init(
                    declared: DeclaredModule(
                        id: module.id, version: module.version, kind: kind, handles: module.handles, emits: module.emits,
                        provides: module.provides ?? [], observes: module.observes ?? []),
                    interface: interfaces[module.id], imports: module.imports.map { (library: $0, owner: Self.owner(of: $0)) },
                    state: module.state))
        }
        self = draft.finished()
    }

    /// An interface is there when somebody imports it, or when its module has topics of its own.
    private static func interfaces(of modules: [Status.Module]) -> [String: Interface] {
        let imported = Set(modules.flatMap(\.imports))
        var found: [String: Interface] = [:]
        for module in modules where ![DeclaredModule.Kind.orchestrator, .userInterface].map(\.rawValue).contains(module.kind) {
            func own(_ topics: [String]) -> [String] { Set(topics.filter { $0.hasPrefix("\(module.id).") }).sorted() }
            let (effects, snapshots) = (own(module.handles + module.emits), own(module.provides ?? []))
            let name = "\(module.id)\(interfaceSuffix)"
            guard !effects.isEmpty || !snapshots.isEmpty || imported.contains(name) else { continue }
            found[module.id] = Interface(name: name, effects: effects.map { Effect(topic: $0, cases: []) }, snapshots: snapshots)
        }
        return found
    }

    private static let interfaceSuffix = "ReluxInt"

    private static func owner(of library: String) -> String {
        library.hasSuffix(interfaceSuffix) ? String(library.dropLast(interfaceSuffix.count)) : library
    }
}

/// `relux.status/1`, as far as a picture needs it.
private struct Status: Decodable {
    struct Module: Decodable {
        let id: String
        let version: String
        let kind: String
        let state: String
        let imports: [String]
        let handles: [String]
        let emits: [String]
        let provides: [String]?
        let observes: [String]?
    }

    let schema: String
    let modules: [Module]
}
