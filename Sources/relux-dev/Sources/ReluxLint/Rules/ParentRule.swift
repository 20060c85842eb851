import ReluxGenerate
import ReluxLayers
import SwiftSyntax

/// A child that reaches up: `state.parent.isLoading = true`, also by a call that changes, by `&`, or to a parent that it keeps.
final class ParentRule: RuleVisitor {
    private static let changing: Set = [
        "append", "insert", "remove", "removeAll", "removeFirst", "removeLast", "removeValue", "toggle", "updateValue", "merge",
        "formUnion",
        "subtract", "sort", "reverse", "swapAt", "popLast",
    ]
    private static let parents: Set = ["parent", "parentState"]

    /// How many reducers of features are around: elsewhere a parent is a tree's, and Relux itself runs children on their parents' state.
    private var reducers = 0

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
            check(Array(names.dropLast()), node, atLeast: 1)
        }
        return .visitChildren
    }

    override func visit(_ node: InOutExprSyntax) -> SyntaxVisitorContinueKind {
        if let names = Self.names(node.expression) { check(names, node, atLeast: 1) }
        return .visitChildren
    }

    /// A parent that a child's state can reach is the parent's state, shared.
    override func visit(_ node: VariableDeclSyntax) -> SyntaxVisitorContinueKind {
        guard reducers > 0, node.modifiers.contains(where: { ["weak", "unowned"].contains($0.name.text) }) else { return .visitChildren }
        for binding in node.bindings where Self.parents.contains(binding.pattern.trimmedDescription) {
            report(.parentState, node, "\(binding.pattern.trimmedDescription) is the parent itself, kept by its child")
        }
        return .visitChildren
    }

    // MARK: Where we are

    override func visit(_ node: StructDeclSyntax) -> SyntaxVisitorContinueKind {
        if isReducer(node.inheritanceClause) { reducers += 1 }
        return .visitChildren
    }

    override func visitPost(_ node: StructDeclSyntax) {
        if isReducer(node.inheritanceClause) { reducers -= 1 }
    }

    private func isReducer(_ clause: InheritanceClauseSyntax?) -> Bool {
        context.role != .core && clause?.inheritedTypes.contains { $0.type.trimmedDescription.split(separator: ".").last == "Reducer" } == true
    }

    // MARK: Chains

    private func check(_ left: ExprSyntax, _ sign: ExprSyntax, _ node: some SyntaxProtocol) {
        guard sign.isAssignment, let names = Self.names(left) else { return }
        check(names, node, atLeast: 2)
    }

    /// - Parameter count: names behind `state.` from which on it is a change of the parent: one more than the parent where it is set, so that
    ///   a child may be given another value.
    private func check(_ names: [String], _ node: some SyntaxProtocol, atLeast count: Int) {
        let isState = names.first.map { ["state", "$0"].contains($0) } == true
        let own = isState || names.first == "self" ? names.dropFirst() : names[...]
        guard let first = own.first, Self.parents.contains(first), own.count >= count, isState || reducers > 0 else { return }
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
