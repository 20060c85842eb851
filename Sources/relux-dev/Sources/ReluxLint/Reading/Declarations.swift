import ReluxGenerate
import SwiftSyntax

extension ExprSyntax {
    /// `c` of `a.b.c`, `.c` and `c`.
    var lastName: String? {
        if let member = self.as(MemberAccessExprSyntax.self) { return member.declName.baseName.identifierText }
        return self.as(DeclReferenceExprSyntax.self)?.baseName.identifierText
    }

    /// `a`, `b`, `c` of `a.b.c`; nil where it is more than names.
    var names: [String]? {
        if let member = self.as(MemberAccessExprSyntax.self) {
            let own = [member.declName.baseName.identifierText]
            guard let base = member.base else { return [""] + own }
            return base.names.map { $0 + own }
        }
        if let optional = self.as(OptionalChainingExprSyntax.self) { return optional.expression.names }
        if let forced = self.as(ForceUnwrapExprSyntax.self) { return forced.expression.names }
        return self.as(DeclReferenceExprSyntax.self).map { [$0.baseName.identifierText] }
    }
}

extension CodeBlockItemListSyntax {
    /// The expression that a body of one statement answers with, with or without `return`.
    ///
    /// By `if case`, since the item's kinds are open in the toolchain's parser and closed in one that is built from its sources.
    var onlyAnswer: ExprSyntax? {
        guard count == 1, let item = first?.item else { return nil }
        if case .expr(let expression) = item { return expression }
        if case .stmt(let statement) = item { return statement.as(ReturnStmtSyntax.self)?.expression }
        return nil
    }
}
