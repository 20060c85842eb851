import ReluxGenerate
import ReluxLayers
import SwiftSyntax

/// Closures as the values of generic types that hand out their value by `inout`.
///
/// Design notes. A function that stands for a generic parameter is kept in the most general form, and code that knows its type sees it through a
/// thunk. An access by `inout` (`withLock`, `modify`, `&box.value`) takes it out through one thunk and puts it back through another, also when
/// nothing changes; the optimiser removes some of that, not all. So do `Optional` and tuples, whose parts are taken apart the same way. A struct's
/// property of function type has one form, whoever holds the struct; the elements of arrays and dictionaries stay as they are until one is handed
/// out by `inout`. `RetainedClosureTests` has the experiment.
final class ClosureRule: RuleVisitor {
    override func visit(_ node: IdentifierTypeSyntax) -> SyntaxVisitorContinueKind {
        check(node.name, node.genericArgumentClause, node)
        return .visitChildren
    }

    override func visit(_ node: MemberTypeSyntax) -> SyntaxVisitorContinueKind {
        check(node.name, node.genericArgumentClause, node)
        return .visitChildren
    }

    override func visit(_ node: GenericSpecializationExprSyntax) -> SyntaxVisitorContinueKind {
        if let name = node.expression.as(DeclReferenceExprSyntax.self)?.baseName ?? node.expression.as(MemberAccessExprSyntax.self)?.declName.baseName {
            check(name, node.genericArgumentClause, node)
        }
        return .visitChildren
    }

    /// `Mutex { … }` and `Mutex({ … })`: the closure is the value.
    override func visit(_ node: FunctionCallExprSyntax) -> SyntaxVisitorContinueKind {
        guard let name = node.calledExpression.lastName, ValueHolders.locks.contains(name) else { return .visitChildren }
        let isClosure = node.arguments.isEmpty ? node.trailingClosure != nil : node.arguments.first?.expression.is(ClosureExprSyntax.self) == true
        if isClosure { report(.heldClosure, node, "\(name) has a closure as its value") }
        return .visitChildren
    }

    private func check(_ name: TokenSyntax, _ arguments: GenericArgumentClauseSyntax?, _ node: some SyntaxProtocol) {
        guard let arguments, context.holders.holdsValue(name.identifierText) else { return }
        for argument in arguments.arguments {
            if case .type(let type) = argument.argument, context.holders.isFunction(type) {
                return report(.heldClosure, node, "\(name.identifierText) has a closure as its value: \(type.trimmedDescription)")
            }
        }
    }
}
