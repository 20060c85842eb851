import ReluxGenerate
import ReluxLayers
import SwiftSyntax

/// The contents that a layer's sources may have: a service's interface has protocols, a kit has imports.
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
    override func visit(_ node: SourceFileSyntax) -> SyntaxVisitorContinueKind {
        for (module, type) in modulesDeclared(in: node) {
            switch context.role {
            case .orchestrator(let owner):
                check(module, owner, type)
                if module.kind != .orchestrator { report(.declaration, type, "\(owner) is declared as \(module.kind.rawValue), not as orchestrator") }
            case .layer(.implementation, let owner):
                check(module, owner, type)
                if module.kind == .orchestrator { report(.declaration, type, "the domain \(owner) is declared as orchestrator") }
            default: break
            }
        }
        return .skipChildren
    }

    private func check(_ module: DeclaredModule, _ owner: String, _ type: StructDeclSyntax) {
        // A type outside of its package's namespace is named by nobody else.
        if !module.id.isEmpty, module.id != owner { report(.declaration, type, "the id '\(module.id)' is not \(owner), whose libraries these are") }
    }
}
