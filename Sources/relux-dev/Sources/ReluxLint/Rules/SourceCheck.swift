import SwiftSyntax

/// The facts that a rule about one source knows beside it.
struct SourceContext {
    let file: SourceFile
    let role: ModuleRole
    /// Classes and actors of the package that hold something that changes.
    var statefulTypes: Set<String> = []
    /// The types that hold values and the names that stand for closures, as the package's types say.
    var holders = ValueHolders()

    var isOrchestrator: Bool {
        if case .orchestrator = role { return true }
        return false
    }

    var isTest: Bool {
        if case .tests = role { return true }
        return false
    }
}

/// A walk over a tree that gathers findings.
class RuleVisitor: SyntaxVisitor {
    let context: SourceContext
    private(set) var findings: [Finding] = []

    init(_ context: SourceContext) {
        self.context = context
        super.init(viewMode: .sourceAccurate)
    }

    final func report(_ rule: LintRule, _ node: some SyntaxProtocol, _ message: String) {
        findings.append(Finding(rule, context.file.place(of: node), message))
    }
}

/// Every rule about sources.
enum SourceCheck {
    static func findings(_ context: SourceContext) -> [Finding] {
        var visitors: [RuleVisitor] = [
            NotificationRule(context), DelegateRule(context), ParentRule(context), RegistrationRule(context), ClosureRule(context),
        ]
        // The process of a test is the test's own.
        if !context.isTest { visitors.append(GlobalStateRule(context)) }
        if context.isOrchestrator { visitors.append(OrchestratorRule(context)) }
        if case .layer(let layer, _) = context.role, let rule = ContentRule(context, layer: layer) { visitors.append(rule) }
        if !context.isTest { visitors.append(DeclarationRule(context)) }
        return visitors.flatMap { visitor in
            visitor.walk(context.file.tree)
            return visitor.findings
        }
    }
}
