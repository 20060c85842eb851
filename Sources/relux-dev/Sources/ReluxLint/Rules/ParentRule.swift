import ReluxGenerate
import SwiftSyntax

/// A child that reaches up: `state.parent.isLoading = true`, also by a call that changes.
final class ParentRule: RuleVisitor {
    private static let changing: Set = [
        "append", "insert", "remove", "removeAll", "removeFirst", "removeLast", "removeValue", "toggle", "updateValue", "merge",
        "formUnion",
        "subtract", "sort", "reverse", "swapAt", "popLast",
    ]

    override func visit(_ node: InfixOperatorExprSyntax) -> SyntaxVisitorContinueKind {
        check(node.leftOperand, node.operator, node)
        return .visitChildren
    }

    override func visit(_ node: SequenceExprSyntax) -> SyntaxVisitorContinueKind {
        let parts = Array(node.elements)
        if parts.count >= 2 { check(parts[0], parts[1], node) }
        return .visitChildren
    }

    override func visit(_ node: FunctionCallExprSyntax) -> SyntaxVisitorContinueKind {
        if let names = Self.names(node.calledExpression), let last = names.last, Self.changing.contains(last) {
            check(Array(names.dropLast()), node)
        }
        return .visitChildren
    }

    private func check(_ left: ExprSyntax, _ sign: ExprSyntax, _ node: some SyntaxProtocol) {
        guard sign.isAssignment, let names = Self.names(left) else { return }
        check(names, node, atLeast: 3)
    }

    private func check(_ names: [String], _ node: some SyntaxProtocol, atLeast count: Int = 2) {
        guard names.count >= count, ["state", "$0"].contains(names[0]), names[1] == "parent" || names[1] == "parentState" else { return }
        report(.parentState, node, "\(names.joined(separator: ".")) is the parent's and is changed here")
    }

    /// The names of a chain, with subscripts left out: `state.parent.files[0].name`.
    private static func names(_ expression: ExprSyntax) -> [String]? {
        if let item = expression.as(SubscriptCallExprSyntax.self) { return names(item.calledExpression) }
        if let member = expression.as(MemberAccessExprSyntax.self) {
            guard let base = member.base else { return nil }
            return names(base).map { $0 + [member.declName.baseName.identifierText] }
        }
        if let optional = expression.as(OptionalChainingExprSyntax.self) { return names(optional.expression) }
        if let forced = expression.as(ForceUnwrapExprSyntax.self) { return names(forced.expression) }
        return expression.as(DeclReferenceExprSyntax.self).map { [$0.baseName.identifierText] }
    }
}
