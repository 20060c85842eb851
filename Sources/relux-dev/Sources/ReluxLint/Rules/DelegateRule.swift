import ReluxGenerate
import ReluxLayers
import SwiftSyntax

/// A reducer answers its own `.delegate` with `.none`.
///
/// Looked at are switches over the action that a `Reduce { state, action in … }` or `reduce(into:action:)` is given. A
/// parent's `.child(.delegate(…))` is another pattern, as is a nested switch over a child's action. A `default` that takes an action's own
/// `.delegate` with it is looked at where the feature has its actions in the same declaration.
final class DelegateRule: RuleVisitor {
    private var actions: [String] = []
    /// For each enclosing type, whether its actions have a `delegate`.
    private var delegates: [Bool] = []

    override func visit(_ node: FunctionCallExprSyntax) -> SyntaxVisitorContinueKind {
        guard node.calledExpression.lastName == "Reduce",
            let closure = node.trailingClosure ?? node.arguments.first?.expression.as(ClosureExprSyntax.self)
        else { return .visitChildren }
        actions.append(Self.secondParameter(of: closure) ?? "$1")
        walk(closure.statements)
        actions.removeLast()
        return .skipChildren
    }

    override func visit(_ node: FunctionDeclSyntax) -> SyntaxVisitorContinueKind {
        let parameters = Array(node.signature.parameterClause.parameters)
        guard node.name.text == "reduce", parameters.count == 2, parameters[0].firstName.text == "into", let body = node.body else {
            return .visitChildren
        }
        actions.append((parameters[1].secondName ?? parameters[1].firstName).identifierText)
        walk(body)
        actions.removeLast()
        return .skipChildren
    }

    override func visit(_ node: SwitchExprSyntax) -> SyntaxVisitorContinueKind {
        guard let action = actions.last, node.subject.as(DeclReferenceExprSyntax.self)?.baseName.identifierText == action else {
            return .visitChildren
        }
        let own = node.cases.compactMap { $0.as(SwitchCaseSyntax.self) }
        if delegates.last == true, !own.contains(where: Self.takesOwnDelegate), let rest = own.last, case .default = rest.label,
            rest.statements.onlyAnswer?.lastName != "none"
        {
            report(.delegateAnswer, rest, "the reducer answers its own .delegate by a default that is more than .none")
        }
        for item in node.cases {
            guard let found = item.as(SwitchCaseSyntax.self), case .case(let label) = found.label,
                label.caseItems.contains(where: { Self.isOwnDelegate($0.pattern) }), found.statements.onlyAnswer?.lastName != "none"
            else { continue }
            report(.delegateAnswer, found, "the reducer answers its own .delegate with more than .none")
        }
        return .visitChildren
    }

    // MARK: The feature around

    override func visit(_ node: StructDeclSyntax) -> SyntaxVisitorContinueKind {
        delegates.append(
            node.memberBlock.members.contains { member in
                guard let actions = member.decl.as(EnumDeclSyntax.self), actions.name.identifierText == "Action" else { return false }
                return actions.memberBlock.members.contains { item in
                    item.decl.as(EnumCaseDeclSyntax.self)?.elements.contains { $0.name.identifierText == "delegate" } == true
                }
            })
        return .visitChildren
    }

    override func visitPost(_ node: StructDeclSyntax) { delegates.removeLast() }

    private static func takesOwnDelegate(_ item: SwitchCaseSyntax) -> Bool {
        guard case .case(let label) = item.label else { return false }
        return label.caseItems.contains { isOwnDelegate($0.pattern) }
    }

    /// `.delegate`, `.delegate(…)`, `let .delegate(…)`.
    private static func isOwnDelegate(_ pattern: PatternSyntax) -> Bool {
        if let binding = pattern.as(ValueBindingPatternSyntax.self) { return isOwnDelegate(binding.pattern) }
        guard let expression = pattern.as(ExpressionPatternSyntax.self)?.expression else { return false }
        let callee = expression.as(FunctionCallExprSyntax.self)?.calledExpression ?? expression
        guard let member = callee.as(MemberAccessExprSyntax.self), member.declName.baseName.text == "delegate" else { return false }
        // `Action.delegate` is its own too; `Child.Action.delegate` is not.
        return member.base == nil || member.base?.names == ["Action"] || member.base?.names == ["Self"]
    }

    private static func secondParameter(of closure: ClosureExprSyntax) -> String? {
        guard let input = closure.signature?.parameterClause else { return nil }
        if case .simpleInput(let names) = input { return names.dropFirst().first?.name.identifierText }
        if case .parameterClause(let clause) = input {
            return clause.parameters.dropFirst().first.map { ($0.secondName ?? $0.firstName).identifierText }
        }
        return nil
    }
}
