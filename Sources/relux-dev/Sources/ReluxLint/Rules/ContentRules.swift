import ReluxGenerate
import ReluxLayers
import SwiftSyntax

/// What a layer's sources may hold: a service's interface has protocols, a kit has imports.
final class ContentRule: RuleVisitor {
    private let layer: Layer

    /// - Returns: nil for a layer that may hold anything.
    init?(_ context: SourceContext, layer: Layer) {
        guard layer == .serviceInterface || layer == .kit else { return nil }
        self.layer = layer
        super.init(context)
    }

    override func visit(_ node: SourceFileSyntax) -> SyntaxVisitorContinueKind {
        if layer == .kit { checkKit(node) }
        return layer == .kit ? .skipChildren : .visitChildren
    }

    private func checkKit(_ node: SourceFileSyntax) {
        for statement in node.statements {
            if let item = statement.item.as(ImportDeclSyntax.self) {
                let isExported = item.attributes.contains { $0.as(AttributeSyntax.self)?.attributeName.trimmedDescription == "_exported" }
                if !isExported { report(.kit, item, "a kit imports \(item.path.trimmedDescription) without handing it on") }
            } else if !statement.item.is(TypeAliasDeclSyntax.self) {
                report(.kit, statement, "a kit has code of its own")
            }
        }
    }

    // MARK: A service's interface

    override func visit(_ node: ProtocolDeclSyntax) -> SyntaxVisitorContinueKind { .skipChildren }
    override func visit(_ node: StructDeclSyntax) -> SyntaxVisitorContinueKind { type(node.name, node) }
    override func visit(_ node: ClassDeclSyntax) -> SyntaxVisitorContinueKind { type(node.name, node) }
    override func visit(_ node: ActorDeclSyntax) -> SyntaxVisitorContinueKind { type(node.name, node) }
    override func visit(_ node: EnumDeclSyntax) -> SyntaxVisitorContinueKind { type(node.name, node) }

    private func type(_ name: TokenSyntax, _ node: some SyntaxProtocol) -> SyntaxVisitorContinueKind {
        report(.serviceContents, node, "\(name.identifierText) is no protocol")
        return .skipChildren
    }
}

/// A module is declared as its package is named: the loader takes libraries for a module's by its id.
final class DeclarationRule: RuleVisitor {
    override func visit(_ node: FunctionCallExprSyntax) -> SyntaxVisitorContinueKind {
        guard let name = node.calledExpression.lastName, name == "ModuleDeclaration" || name == "exportModule" else { return .visitChildren }
        let arguments = Array(node.arguments)
        func value(_ label: String) -> ExprSyntax? { arguments.first { $0.label?.text == label }?.expression }
        let id = value("id") ?? arguments.first.flatMap { $0.label == nil ? $0.expression : nil }
        let kind = value("kind")?.lastName.flatMap(DeclaredModule.Kind.init)
        switch context.role {
        case .orchestrator(let owner):
            check(id, owner)
            if let kind, kind != .orchestrator { report(.declaration, node, "\(owner) is declared as \(kind.rawValue), not as orchestrator") }
        case .layer(.implementation, let owner):
            check(id, owner)
            if kind == .orchestrator { report(.declaration, node, "the domain \(owner) is declared as orchestrator") }
        default: break
        }
        return .visitChildren
    }

    private func check(_ id: ExprSyntax?, _ owner: String) {
        guard let id, let text = id.literalText, text != owner else { return }
        report(.declaration, id, "the id '\(text)' is not \(owner), whose libraries these are")
    }
}
