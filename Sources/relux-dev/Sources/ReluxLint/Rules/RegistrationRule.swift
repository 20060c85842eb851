import ReluxLayers
import SwiftSyntax

/// Orchestrators come last in a `register { … }`.
final class RegistrationRule: RuleVisitor {
    override func visit(_ node: FunctionCallExprSyntax) -> SyntaxVisitorContinueKind {
        guard node.calledExpression.lastName == "register", let closure = node.trailingClosure else { return .visitChildren }
        var orchestrator: String?
        for statement in closure.statements {
            let visitor = ModuleVisitor(viewMode: .sourceAccurate)
            visitor.walk(statement)
            for (module, place) in visitor.found {
                if ModuleRole.orchestrator(named: module) == module {
                    orchestrator = module
                } else if let orchestrator {
                    report(.orchestratorOrder, place, "\(module) is registered after the orchestrator \(orchestrator)")
                }
            }
        }
        return .visitChildren
    }
}

/// `Auth` of every `Auth.Module`.
private final class ModuleVisitor: SyntaxVisitor {
    var found: [(String, MemberAccessExprSyntax)] = []

    override func visit(_ node: MemberAccessExprSyntax) -> SyntaxVisitorContinueKind {
        if node.declName.baseName.text == "Module", let module = node.base?.lastName { found.append((module, node)) }
        return .visitChildren
    }
}
