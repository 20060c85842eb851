import ReluxGenerate
import SwiftSyntax

/// The cases of a type of effects that a domain's flow or saga leaves alone: `case .loaded, .failed, nil: .success`.
/// - Parameter type: as the switch spells it behind `as?`, such as `Auth.Business.Effect`.
func unanswered(effects type: String, in sources: [String]) -> Set<String> {
    let visitor = AnswerVisitor(type)
    for source in sources { visitor.walk(SourceFile(path: "", text: source).tree) }
    return visitor.silent.subtracting(visitor.answered)
}

private final class AnswerVisitor: SyntaxVisitor {
    private static let nothing: Set = [".success", "return .success", "break", "return", "()"]

    private let type: String
    var silent: Set<String> = []
    var answered: Set<String> = []

    init(_ type: String) {
        self.type = type
        super.init(viewMode: .sourceAccurate)
    }

    override func visit(_ node: SwitchExprSyntax) -> SyntaxVisitorContinueKind {
        guard node.subject.trimmedDescription.hasSuffix("as? \(type)") else { return .visitChildren }
        for item in node.cases {
            guard let found = item.as(SwitchCaseSyntax.self), case .case(let label) = found.label else { continue }
            let names = label.caseItems.compactMap { Self.name($0.pattern) }
            if Self.nothing.contains(found.statements.trimmedDescription) { silent.formUnion(names) } else { answered.formUnion(names) }
        }
        return .visitChildren
    }

    /// `add` of `.add`, `.add(let title)` and `let .add(title)`.
    private static func name(_ pattern: PatternSyntax) -> String? {
        if let binding = pattern.as(ValueBindingPatternSyntax.self) { return name(binding.pattern) }
        guard let expression = pattern.as(ExpressionPatternSyntax.self)?.expression else { return nil }
        return (expression.as(FunctionCallExprSyntax.self)?.calledExpression ?? expression).as(MemberAccessExprSyntax.self)?.declName.baseName.identifierText
    }
}
