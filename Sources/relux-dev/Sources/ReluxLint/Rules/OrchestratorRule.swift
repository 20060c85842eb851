import ReluxLayers
import SwiftSyntax

/// The things that an orchestrator must not have: states, relays, flows, stored variables, results.
final class OrchestratorRule: RuleVisitor {
    private static let states: Set = [
        "AnyState", "BusinessState", "HybridState", "UIState", "TemporalState", "RestorableState", "SnapshotProviding", "StateRelaying",
    ]

    override func visit(_ node: InheritedTypeSyntax) -> SyntaxVisitorContinueKind {
        let name = node.type.trimmedDescription.split(separator: ".").last.map(String.init) ?? ""
        if Self.states.contains(name) { report(.orchestratorState, node, "an orchestrator's type is a \(name)") }
        if name == "Flow" { report(.orchestratorResult, node, "an orchestrator's type is a Flow, which returns a result") }
        return .visitChildren
    }

    override func visit(_ node: FunctionDeclSyntax) -> SyntaxVisitorContinueKind {
        if node.name.text == "apply", let result = node.signature.returnClause?.type.trimmedDescription, result != "Void", result != "()" {
            report(.orchestratorResult, node, "apply(_:) of an orchestrator returns \(result)")
        }
        return .visitChildren
    }

    override func visit(_ node: VariableDeclSyntax) -> SyntaxVisitorContinueKind {
        for binding in node.bindings where ["states", "relays"].contains(binding.pattern.trimmedDescription) {
            if let value = Self.value(of: binding), value.as(ArrayExprSyntax.self)?.elements.isEmpty != true {
                report(.orchestratorState, node, "the module's \(binding.pattern.trimmedDescription) are not []")
            }
        }
        if isActorsOwn(node), let binding = node.bindings.first {
            let name = binding.pattern.trimmedDescription
            if node.bindingSpecifier.text == "var" {
                if binding.isStored { report(.orchestratorState, node, "var \(name) is state of an orchestrator") }
            } else if let box = binding.boxName {
                report(.orchestratorState, node, "let \(name) is state of an orchestrator, in a \(box)")
            }
        }
        return .visitChildren
    }

    override func visit(_ node: InfixOperatorExprSyntax) -> SyntaxVisitorContinueKind {
        check(node.leftOperand, node.operator, node.rightOperand)
        return .visitChildren
    }

    override func visit(_ node: SequenceExprSyntax) -> SyntaxVisitorContinueKind {
        let parts = Array(node.elements)
        if parts.count == 3 { check(parts[0], parts[1], parts[2]) }
        return .visitChildren
    }

    /// `self.states = [State()]`.
    private func check(_ left: ExprSyntax, _ sign: ExprSyntax, _ right: ExprSyntax) {
        guard sign.isAssignment, let names = left.names, names == ["self", "states"] || names == ["self", "relays"],
            right.as(ArrayExprSyntax.self)?.elements.isEmpty != true
        else { return }
        report(.orchestratorState, left, "the module's \(names[1]) are not []")
    }

    private func isActorsOwn(_ node: VariableDeclSyntax) -> Bool {
        // Members of a class or an actor: list, block, declaration.
        let owner = node.parent?.parent?.parent?.parent
        return owner?.is(ActorDeclSyntax.self) == true || owner?.is(ClassDeclSyntax.self) == true
    }

    /// The value that it is set to, or that it returns at once.
    private static func value(of binding: PatternBindingSyntax) -> ExprSyntax? {
        if let value = binding.initializer?.value { return value }
        guard let block = binding.accessorBlock, case .getter(let items) = block.accessors else { return nil }
        return items.onlyAnswer
    }
}
