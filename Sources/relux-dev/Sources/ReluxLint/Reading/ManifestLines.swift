import SwiftSyntax

/// Where a manifest says what: a description of the package has no lines.
struct ManifestLines {
    let file: SourceFile
    private var targets: [String: FunctionCallExprSyntax] = [:]
    private var products: [String: FunctionCallExprSyntax] = [:]

    init(_ file: SourceFile) {
        self.file = file
        let visitor = ManifestVisitor(viewMode: .sourceAccurate)
        visitor.walk(file.tree)
        targets = visitor.targets
        products = visitor.products
    }

    /// Where the target names the dependency, else the target, else the file.
    func place(of dependency: String, in target: String) -> Place {
        guard let call = targets[target] else { return Place(file: file.path, line: 1, column: 1) }
        let visitor = WordVisitor { $0 == dependency }
        for argument in call.arguments where argument.label?.text == "dependencies" { visitor.walk(argument) }
        return visitor.found.map { file.place(of: $0) } ?? file.place(of: call)
    }

    func place(ofTarget target: String) -> Place {
        targets[target].map { file.place(of: $0) } ?? Place(file: file.path, line: 1, column: 1)
    }

    /// Where a package that this one depends on is named, at its end if by a path.
    func place(ofPackage name: String) -> Place {
        let visitor = WordVisitor { $0 == name || $0.hasSuffix("/" + name) }
        visitor.walk(file.tree)
        return visitor.found.map { file.place(of: $0) } ?? Place(file: file.path, line: 1, column: 1)
    }

    func place(ofProduct product: String) -> Place {
        products[product].map { file.place(of: $0) } ?? Place(file: file.path, line: 1, column: 1)
    }
}

private final class ManifestVisitor: SyntaxVisitor {
    var targets: [String: FunctionCallExprSyntax] = [:]
    var products: [String: FunctionCallExprSyntax] = [:]

    override func visit(_ node: FunctionCallExprSyntax) -> SyntaxVisitorContinueKind {
        guard let callee = node.calledExpression.as(MemberAccessExprSyntax.self)?.declName.baseName.text,
            let name = node.arguments.first(where: { $0.label?.text == "name" })?.expression.literalText
        else { return .visitChildren }
        switch callee {
        case "target", "executableTarget", "testTarget", "macro", "plugin": targets[name] = targets[name] ?? node
        case "library", "executable": products[name] = products[name] ?? node
        default: break
        }
        return .visitChildren
    }
}

private final class WordVisitor: SyntaxVisitor {
    let isWanted: (String) -> Bool
    var found: StringLiteralExprSyntax?

    init(_ isWanted: @escaping (String) -> Bool) {
        self.isWanted = isWanted
        super.init(viewMode: .sourceAccurate)
    }

    override func visit(_ node: StringLiteralExprSyntax) -> SyntaxVisitorContinueKind {
        if found == nil, let text = ExprSyntax(node).literalText, isWanted(text) { found = node }
        return .skipChildren
    }
}

extension ExprSyntax {
    /// A string literal without interpolation.
    var literalText: String? {
        guard let literal = self.as(StringLiteralExprSyntax.self), literal.segments.count == 1,
            let segment = literal.segments.first?.as(StringSegmentSyntax.self)
        else { return nil }
        return segment.content.text
    }
}
