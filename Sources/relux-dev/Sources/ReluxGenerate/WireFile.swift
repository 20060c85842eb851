/// The file of coders beside an interface's effects.
///
/// It is a function of the sources: no build is asked, so that a file that has become wrong, and therefore does not compile, can be
/// written again.
package struct WireFile: Sendable {
    package static let suffix = "+Wire.generated.swift"

    /// All of the file; nil when there is no payload that could have coders.
    package let text: String?
    /// Effects and snapshots with coders, by name.
    package let payloads: [String]
    /// A sentence for each effect and snapshot that stays with `Codable`.
    package let notes: [String]

    /// - Parameters:
    ///   - module: the Swift module that the file belongs to.
    ///   - sources: of that module, without this file, and of those of its package that it takes types from, in a stable order.
    package init(module: String, _ sources: [ModuleSource]) {
        let table = TypeTable(sources)
        let plan = WirePlan(table, module: module)
        notes = plan.notes
        let roots = plan.coders.filter(\.type.isRoot)
        payloads = roots.map(\.type.name)
        text = roots.isEmpty ? nil : Self.head(plan, table, module: module) + WireCode.text(plan)
    }

    private static func head(_ plan: WirePlan, _ table: TypeTable, module: String) -> String {
        var imports: [String: Bool] = [:]
        for coder in plan.coders {
            for line in coder.type.imports { imports[line] = imports[line] ?? false }
            // Extending a public type of another module takes a public import of it.
            let owner = coder.type.path.first.flatMap { table.types[$0] }?.module
            if let owner, owner != module { imports[owner] = imports[owner] == true || (coder.type.isRoot && coder.type.isPublic) }
            if coder.type.isRoot, coder.type.isPublic {
                for core in ["Relux", "ReluxWire"] where coder.type.imports.contains(core) { imports[core] = true }
            }
        }
        imports[module] = nil
        let lines = imports.sorted { $0.key < $1.key }.map { "\($0.value ? "public " : "")import \($0.key)" }
        return """
            // Written by `relux generate` from the types that it names: change those and run it again. What is stale fails `relux lint`.

            \(lines.joined(separator: "\n"))

            """
    }
}
