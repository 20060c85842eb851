import SwiftSyntax

/// The declaration of a module by its type, a `Relux.Plugin`, in the sources.
package struct DeclaredModule: Hashable, Sendable {
    /// The phase in which it starts.
    package enum Kind: String, CaseIterable, Sendable { case infrastructure, domain, orchestrator, userInterface }

    package let id: String
    package let version: String
    package let kind: Kind
    /// Topics, such as `Auth.Business.Effect`, each once and sorted.
    package let handles: [String]
    package let emits: [String]
    package let provides: [String]
    package let observes: [String]

    package init(
        id: String, version: String, kind: Kind, handles: [String] = [], emits: [String] = [], provides: [String] = [],
        observes: [String] = []
    ) {
        self.id = id
        self.version = version
        self.kind = kind
        self.handles = Set(handles).sorted()
        self.emits = Set(emits).sorted()
        self.provides = Set(provides).sorted()
        self.observes = Set(observes).sorted()
    }
}

/// The modules that a file declares, in its order.
func declaredModules(in file: SourceFile) -> [DeclaredModule] { modulesDeclared(in: file.tree).map(\.module) }

/// The same, each with its type.
func modulesDeclared(in tree: some SyntaxProtocol) -> [(module: DeclaredModule, node: StructDeclSyntax)] {
    let visitor = DeclarationVisitor(viewMode: .sourceAccurate)
    visitor.walk(tree)
    return visitor.found
}

private final class DeclarationVisitor: SyntaxVisitor {
    var found: [(module: DeclaredModule, node: StructDeclSyntax)] = []

    override func visit(_ node: StructDeclSyntax) -> SyntaxVisitorContinueKind {
        guard node.inheritanceClause?.inheritedTypes.contains(where: { $0.type.trimmedDescription == "Relux.Plugin" }) == true else { return .visitChildren }
        var statics: [String: ExprSyntax] = [:]
        for member in node.memberBlock.members {
            guard let variable = member.decl.as(VariableDeclSyntax.self), variable.modifiers.contains(where: { $0.name.text == "static" }) else { continue }
            for binding in variable.bindings { statics[binding.pattern.trimmedDescription] = binding.writtenValue }
        }
        func topics(_ name: String) -> [String] { statics[name]?.topics ?? [] }
        let module = DeclaredModule(
            id: statics["moduleID"]?.writtenText ?? Self.path(of: node), version: statics["version"]?.writtenText ?? "1.0.0",
            kind: statics["kind"]?.lastName.flatMap(DeclaredModule.Kind.init) ?? .domain, handles: topics("handles"), emits: topics("emits"),
            provides: topics("provides"), observes: topics("observes"))
        found.append((module, node))
        return .visitChildren
    }

    /// The type's path, without a `Module` at its end.
    private static func path(of node: StructDeclSyntax) -> String {
        var names = node.name.text == "Module" ? [] : [node.name.text]
        var parent = node.parent
        while let next = parent {
            if let outer = next.as(ExtensionDeclSyntax.self) { names.insert(outer.extendedType.trimmedDescription, at: 0) }
            if let outer = next.asProtocol((any NamedDeclSyntax).self) { names.insert(outer.name.text, at: 0) }
            parent = next.parent
        }
        return names.joined(separator: ".")
    }
}

extension ExprSyntax {
    /// A string literal without interpolation.
    fileprivate var writtenText: String? {
        guard let literal = self.as(StringLiteralExprSyntax.self), literal.segments.count <= 1 else { return nil }
        guard let segment = literal.segments.first else { return "" }
        return segment.as(StringSegmentSyntax.self)?.content.text
    }

    /// The types of a list, `[Auth.Business.Effect.self]` or with `wireTopic`, as topics; what is no type's name is left out.
    fileprivate var topics: [String] {
        guard let list = self.as(ArrayExprSyntax.self) else { return [] }
        return list.elements.compactMap { element in
            if let text = element.expression.writtenText { return text }
            guard let names = element.expression.names, let last = names.last, last == "self" || last == "wireTopic" else { return nil }
            return names.dropLast().joined(separator: ".")
        }
    }
}
