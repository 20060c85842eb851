import Foundation

/// The part of the toolchain's symbol graph format that a contract needs.
struct SymbolGraph: Decodable {
    struct Symbol: Decodable {
        struct Kind: Decodable { let identifier: String }
        struct Identifier: Decodable { let precise: String }
        struct Fragment: Decodable { let spelling: String }
        struct DocComment: Decodable {
            struct Line: Decodable { let text: String }
            let lines: [Line]
        }

        let kind: Kind
        let identifier: Identifier
        let pathComponents: [String]
        let accessLevel: String
        let declarationFragments: [Fragment]?
        let docComment: DocComment?

        /// The text of its documentation comment; nil without any.
        var doc: String? {
            let text = (docComment?.lines ?? []).map(\.text).joined(separator: "\n").trimmingCharacters(in: .whitespacesAndNewlines)
            return text.isEmpty ? nil : text
        }
        var path: String { pathComponents.joined(separator: ".") }
        var parent: String { pathComponents.dropLast().joined(separator: ".") }
        /// The declaration as the source has it, types qualified.
        var declaration: String { (declarationFragments ?? []).map(\.spelling).joined() }
    }

    struct Relationship: Decodable {
        let kind: String
        let source: String
        let target: String
        /// The target's name with its module, for example `Relux.Relux.Effect`.
        let targetFallback: String?
    }

    struct Module: Decodable { let name: String }

    let module: Module
    let symbols: [Symbol]
    let relationships: [Relationship]
}

/// The symbols of several modules, found by path and by parent.
struct SymbolTable {
    private(set) var byPath: [String: SymbolGraph.Symbol] = [:]
    private var members: [String: [SymbolGraph.Symbol]] = [:]
    private var conformances: [String: Set<String>] = [:]
    /// Symbols of each module in the order of the graphs.
    private(set) var ofModule: [String: [SymbolGraph.Symbol]] = [:]

    /// Identifiers of properties that have storage; what is computed is not coded.
    private(set) var stored: Set<String> = []

    mutating func add(stored identifiers: Set<String>) { stored.formUnion(identifiers) }

    /// The values of raw enums by path, in the order of their cases.
    private(set) var rawValues: [String: [String]] = [:]

    /// The number of cases of each enum with raw values, by its mangled name without `$s`.
    var rawEnums: [String: Int] {
        byPath.values.reduce(into: [:]) { enums, symbol in
            guard let name = mangledName(ofRawEnum: symbol) else { return }
            enums[name] = members(of: symbol.path, kind: "swift.enum.case").count
        }
    }

    mutating func add(rawValues values: [String: [String]]) {
        for symbol in byPath.values {
            if let name = mangledName(ofRawEnum: symbol) { rawValues[symbol.path] = values[name] }
        }
    }

    /// Paths of enums with raw values that nobody could tell.
    var unlistedEnums: [String] {
        byPath.values.filter { mangledName(ofRawEnum: $0) != nil && rawValues[$0.path] == nil }.map(\.path).sorted()
    }

    /// Nil for any other type. A symbol's identifier is its mangled name with another prefix.
    private func mangledName(ofRawEnum symbol: SymbolGraph.Symbol) -> String? {
        guard symbol.kind.identifier == "swift.enum", symbol.identifier.precise.hasPrefix("s:"),
            conforms(symbol, to: "s:SY"), conforms(symbol, to: "s:SE"),
            members(of: symbol.path, kind: "swift.enum.case").allSatisfy({ $0.pathComponents.last?.contains("(") == false })
        else { return nil }
        return String(symbol.identifier.precise.dropFirst(2))
    }

    mutating func add(_ graph: SymbolGraph) {
        for symbol in graph.symbols {
            // The cases of one enum may share a base name; only types and aliases are looked up by path.
            if Self.typeKinds.contains(symbol.kind.identifier) { byPath[symbol.path] = symbol }
            members[symbol.parent, default: []].append(symbol)
            ofModule[graph.module.name, default: []].append(symbol)
        }
        for relationship in graph.relationships where relationship.kind == "conformsTo" {
            conformances[relationship.source, default: []].insert(relationship.targetFallback ?? relationship.target)
            conformances[relationship.source, default: []].insert(relationship.target)
        }
    }

    func members(of path: String, kind: String? = nil) -> [SymbolGraph.Symbol] {
        (members[path] ?? []).filter { kind == nil || $0.kind.identifier == kind }
    }

    func conforms(_ symbol: SymbolGraph.Symbol, to name: String) -> Bool {
        conformances[symbol.identifier.precise]?.contains(name) ?? false
    }

    private static let typeKinds: Set = ["swift.enum", "swift.struct", "swift.class", "swift.typealias"]
}
