import SwiftSyntax

/// What a plugin says of itself in its sources: the arguments of `ModuleDeclaration(…)` or of `exportModule(…)`.
package struct DeclaredModule: Hashable, Sendable {
    /// The phase in which it starts.
    package enum Kind: String, CaseIterable, Sendable { case infrastructure, domain, orchestrator }

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

/// The declarations of a file, in its order; one whose name or kind is not written out is none.
func declaredModules(in file: SourceFile) -> [DeclaredModule] {
    let visitor = DeclarationVisitor(viewMode: .sourceAccurate)
    visitor.walk(file.tree)
    return visitor.found
}

private final class DeclarationVisitor: SyntaxVisitor {
    var found: [DeclaredModule] = []

    override func visit(_ node: FunctionCallExprSyntax) -> SyntaxVisitorContinueKind {
        let name = node.calledExpression.lastName
        guard name == "ModuleDeclaration" || name == "exportModule" else { return .visitChildren }
        let labelled = Dictionary(
            node.arguments.compactMap { argument in argument.label.map { ($0.text, argument.expression) } },
            uniquingKeysWith: { first, _ in first })
        let first = node.arguments.first.flatMap { $0.label == nil ? $0.expression : nil }
        guard let id = (labelled["id"] ?? first)?.writtenText, let kind = labelled["kind"]?.lastName.flatMap(DeclaredModule.Kind.init)
        else { return .visitChildren }
        func topics(_ label: String) -> [String] { labelled[label]?.topics ?? [] }
        found.append(
            DeclaredModule(
                id: id, version: labelled["version"]?.writtenText ?? "", kind: kind, handles: topics("handles"), emits: topics("emits"),
                provides: topics("provides"), observes: topics("observes")))
        return .visitChildren
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
