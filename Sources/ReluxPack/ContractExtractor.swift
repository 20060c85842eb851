import Foundation
package import ReluxPlugin
import ReluxWire

/// The promises of an interface, and the parts that could not be told from it.
package struct ExtractedContract: Sendable {
    package let contract: Contract
    /// A sentence for each type that readers cannot check from outside; for people.
    package let notes: [String]
}

/// Reads a contract out of built modules by the toolchain's symbol graph.
package struct ContractExtractor: Sendable {
    private let toolchain: Toolchain
    private let target: String
    private let modules: [String]

    /// - Parameter modules: folders of `.swiftmodule` files, the build's first.
    package init(toolchain: Toolchain, target: String, modules: [String]) {
        self.toolchain = toolchain
        self.target = target
        self.modules = modules
    }

    /// The modules that one contract is read from; a name means what it means among them.
    package struct Source: Sendable, Hashable {
        /// Modules whose effects and snapshots are the contract's, for example `AuthReluxInt`.
        package var interfaces: [String]
        /// Modules whose types may occur in them, for example `AuthModels`.
        package var supporting: [String]

        package init(interfaces: [String], supporting: [String] = []) {
            self.interfaces = interfaces
            self.supporting = supporting
        }
    }

    /// - Parameter rawValues: how to learn the raw values of enums, given the number of cases by mangled name; asked once at most.
    /// - Returns: a contract for each source, in their order.
    package func extract(
        _ sources: [Source], rawValues: ([String: Int]) throws -> [String: [String]]
    ) throws -> [ExtractedContract] {
        var parts: [String: (stored: Set<String>, graphs: [SymbolGraph])] = [:]
        for module in sources.flatMap({ $0.interfaces + $0.supporting }) where parts[module] == nil { parts[module] = try read(module) }
        var tables = sources.map { source in
            (source.interfaces + source.supporting).reduce(into: SymbolTable()) { table, module in
                guard let part = parts[module] else { return }
                table.add(stored: part.stored)
                for graph in part.graphs { table.add(graph) }
            }
        }
        let enums = tables.reduce(into: [:]) { $0.merge($1.rawEnums) { first, _ in first } }
        if !enums.isEmpty {
            let values = try rawValues(enums)
            for index in tables.indices { tables[index].add(rawValues: values) }
        }
        return zip(sources, tables).map { Self.contract(of: $0.interfaces, $1) }
    }

    private func read(_ module: String) throws -> (stored: Set<String>, graphs: [SymbolGraph]) {
        let graphs = try toolchain.symbolGraphs(of: module, target: target, modules: modules).map { data in
            do { return try JSONDecoder().decode(SymbolGraph.self, from: data) } catch {
                throw PackError(.contract, "symbol graph of \(module) is of another format: \(error)")
            }
        }
        return (try toolchain.storedProperties(of: module, target: target, modules: modules), graphs)
    }

    static func contract(of interfaces: [String], _ table: SymbolTable) -> ExtractedContract {
        let reader = ShapeReader(table: table)
        var topics: [TopicContract] = []
        var snapshots: [SnapshotContract] = []
        var notes: [String] = []
        for symbol in interfaces.flatMap({ table.ofModule[$0] ?? [] }) {
            let path = symbol.path
            let isEffect = table.conforms(symbol, to: "Relux.Relux.Effect")
            guard isEffect || table.conforms(symbol, to: "Relux.Relux.SharedSnapshot") else { continue }
            if table.members(of: path).contains(where: { $0.pathComponents.last == "wireTopic" }) {
                notes.append("\(path) names its topic itself: it is not in the contract")
                continue
            }
            guard let topic = Topic(rawValue: path) else {
                notes.append("\(path) is no topic's name: it is not in the contract")
                continue
            }
            if isEffect, symbol.kind.identifier == "swift.enum" {
                topics.append(TopicContract(topic: topic, cases: reader.cases(of: path)))
                if reader.hasOwnCoding(path) { notes.append("\(path) has coding of its own: its cases may look otherwise") }
            } else if let shape = reader.shape(ofType: path) {
                if isEffect {
                    let only = CaseContract(name: "", fields: shape.fields, doc: symbol.doc)
                    topics.append(TopicContract(topic: topic, cases: [only]))
                } else {
                    snapshots.append(SnapshotContract(topic: topic, shape: shape))
                }
            } else {
                notes.append("\(path) has coding of its own: it is not in the contract")
            }
        }
        notes += table.unlistedEnums.filter { !reader.hasOwnCoding($0) }.map { "\($0) has raw values that could not be read: any value is taken" }
        return ExtractedContract(contract: Contract(topics: topics, snapshots: snapshots), notes: notes)
    }
}
