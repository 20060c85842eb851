import Foundation
import ReluxLint

/// The picture for programs: `relux.graph/1`.
package struct GraphJSON: Encodable {
    private struct Effect: Encodable {
        let topic: String
        let cases: [String]
    }

    private struct Interface: Encodable {
        let name: String
        let module: String
        let effects: [Effect]
        let snapshots: [String]
    }

    private struct Module: Encodable {
        let id: String
        let version: String
        let kind: String
        /// Absent in a picture of sources.
        let state: String?
        /// Absent where there is nothing to import.
        let interface: String?
        let handles: [String]
        let emits: [String]
        let provides: [String]
        let observes: [String]
    }

    private struct Dependency: Encodable {
        let from: String
        let to: String
        let imports: [String]
        let emits: [String]
        let handles: [String]
        let observes: [String]
    }

    private let schema = "relux.graph/1"
    private let modules: [Module]
    private let interfaces: [Interface]
    private let dependencies: [Dependency]
    private let notes: [String]

    private enum CodingKeys: CodingKey { case schema, modules, interfaces, dependencies, notes }

    package init(_ graph: Architecture) {
        modules = graph.modules.map {
            Module(
                id: $0.id, version: $0.version, kind: $0.kind.rawValue, state: $0.state, interface: $0.interface?.name,
                handles: $0.handles, emits: $0.emits, provides: $0.provides, observes: $0.observes)
        }
        interfaces = graph.modules.compactMap { module in
            module.interface.map { interface in
                Interface(
                    name: interface.name, module: module.id, effects: interface.effects.map { Effect(topic: $0.topic, cases: $0.cases) },
                    snapshots: interface.snapshots)
            }
        }
        dependencies = graph.dependencies.map {
            Dependency(from: $0.from, to: $0.to, imports: $0.imports, emits: $0.emits, handles: $0.handles, observes: $0.observes)
        }
        notes = graph.notes
    }

    package var text: String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        // Only strings are in it.
        guard let data = try? encoder.encode(self) else { preconditionFailure("a picture is plain text") }
        return String(decoding: data, as: UTF8.self)
    }
}
